/** Why the diagnostics of the document as a whole are reported. */
import type { documentCodes } from "../codes/document.ts";
import type { ReasonsOf } from "./shared.ts";

export const documentReasons: ReasonsOf<typeof documentCodes> = {
  "document/too-long":
    "The time and memory for reading a document are bounded, so that a hostile or broken file can't stop a server.",
  "document/line-too-long":
    "The time and memory for reading a document are bounded. What the author wrote after this point would be missing from the service.",
  "document/nested-too-deep":
    "The time and memory for reading a document are bounded. No item of the notation needs so many levels.",
  "document/table-too-wide":
    "The time and memory for reading a document are bounded. No table of the notation has so many columns.",
  "document/table-too-long":
    "The time and memory for reading a document are bounded. The service would run without the rows after this one.",
  "document/control-character":
    "Two names that look the same could differ. An author would search long for the reason why one of them is unknown.",
  "document/too-slow":
    "The time for reading a document is bounded, so that a hostile or broken file can't stop a server. Nothing of it was read.",
  "document/fault":
    "The compiler failed at a case that it should handle, so nothing of the document can be served.",
  "document/more-mistakes":
    "The number of reported diagnostics is bounded, so that a broken file can't fill the memory.",
  "document/missing-title":
    "The title names the service: in its documentation, in exports and in the console. Without one, a file may not be a specification at all.",
  "document/unreadable-title":
    "The title names the service: in its documentation, in exports and in the console. Its fixed form distinguishes a specification from any other Markdown file.",
  "document/second-title":
    "A file describes one service. The text under a second title would be read as a part of the first.",
  "document/unknown-part":
    "The nine parts are all that the compiler reads. Text in another part would have no effect on the service.",
  "document/no-parts":
    "The compiler reads the nine parts and nothing else, so this document describes no service.",
  "document/missing-part":
    "Readers can't distinguish a part that was forgotten from one that has nothing to say. `not shown` says which it is.",
  "document/duplicate-part":
    "A reader who finds one of the two sections would believe that it is all there is about the subject.",
  "document/misplaced-part":
    "All specifications have the same order, so that readers find a part where they expect it.",
  "document/empty-heading":
    "A heading starts a section. Without a text, the subject of the lines under it is unknown.",
  "document/outside-parts":
    "Only the nine parts reach the service. Text before them is description, even if it looks like an item or a table.",
  "document/prose-alone":
    "Sentences are description and have no effect. The service would run without what they say.",
  "document/stray-row":
    "Without its table, a row is a sentence to the compiler. The service would run without the field or rule in it.",
  "document/unclosed-fence":
    "Everything down to the end of the document would belong to the block, and would be missing from the service.",
  "document/broken-table":
    "Markdown doesn't read this as a table, so none of its rows would reach the service.",
  "document/table-in-item":
    "Markdown joins the table to the item above it. None of its rows would reach the service.",
  "document/too-many-cells":
    "Cells beyond the last column are lost, and an expression that a `|` splits loses its second half.",
  "document/row-without-bar":
    "Markdown reads a line directly under a table as a row of it, so a sentence would become a field or a rule.",
  "document/duplicate-column":
    "A row would have two values for one thing, and the server would use only one of them.",
  "document/unread-item":
    "A line that is not written as an item is description. The service would run without it, for example without the condition for access that it states.",
  "document/unread-heading":
    "The lines under it would belong to the section above, so one endpoint or resource would get the items of another.",
  "document/unread-elsewhere":
    "In this part the line is description. The service runs without what it states.",
  "document/unread-block":
    "Only what is written under a heading that has such content is read. The service would run without it.",
  "document/html": "HTML is shown in some renderings and dropped in others, and never reaches the service.",
  "document/loose-gap":
    "Gaps are counted by the words `not shown`. The compiler can't distinguish other words from a name.",
  "document/contradiction":
    "The server follows one of the two statements. Clients that rely on the other would fail.",
  "document/not-shown":
    "The document says that this is not known yet. Requests that need it receive 501 Not Implemented, and nothing is guessed.",
  "document/silent":
    "A reader doesn't learn whether this was forgotten, is not known, or does not exist. Requests that need it receive 501 Not Implemented.",
  "document/smaller-gap":
    "The document says that this detail is not known yet. The server uses no value of its own for it.",
};
