/**
 * The diagnostics of the document as a whole: its headings, its blocks, its 26 items, its size
 * limits.
 */
import { gap, mistake, note, warning } from "../code.ts";
import { capital, count, duplicate, keepOne, unreadable } from "./form-codes.ts";

/** A line that looks like an item: its key, the item to write, and the title of its part. */
export interface Unread {
  readonly text: string;
  readonly line: string;
  readonly title: string;
  readonly isIndented: boolean;
}

export const documentCodes = {
  // ── The text ──────────────────────────────────────────────────────────────────────────────────
  "document/too-long": mistake<{ readonly bytes: number; readonly bytesMax: number }>(
    ({ bytes, bytesMax }) => `The document has ${bytes} bytes. The limit is ${bytesMax}.`,
    "Split the interface into several documents.",
  ),
  "document/line-too-long": mistake<{ readonly length: number; readonly lengthMax: number }>(
    ({ length, lengthMax }) =>
      `This line has ${length} characters. Characters after the first ${lengthMax} are not read.`,
    "Break the line. A value can continue on the next line, indented.",
  ),
  "document/nested-too-deep": mistake<{ readonly depthMax: number }>(
    ({ depthMax }) => `Lists and quotations are nested more than ${depthMax} levels deep.`,
    ({ depthMax }) => `Use at most ${depthMax} levels.`,
  ),
  "document/table-too-wide": mistake<{ readonly columns: number; readonly columnsMax: number }>(
    ({ columns, columnsMax }) => `This table has ${columns} columns. The limit is ${columnsMax}.`,
    ({ columnsMax }) => `Keep at most ${columnsMax} columns.`,
  ),
  "document/table-too-long": mistake<{ readonly rowsMax: number }>(
    ({ rowsMax }) => `This table has more than ${rowsMax} rows. Rows from here on are not read.`,
    "Remove the rows from here on.",
  ),
  "document/control-character": mistake<{ readonly name: string }>(
    ({ name }) => `Invisible character: ${name}.`,
    "Remove it: two texts could look the same and differ.",
  ),
  "document/too-slow": mistake<{ readonly milliseconds: number }>(
    ({ milliseconds }) => `Reading the document took more than ${milliseconds} ms and was stopped.`,
    "Look for text that is deeply nested or repeated very often. If there is none, report this as a bug.",
  ),
  "document/fault": mistake<{ readonly message: string }>(
    ({ message }) =>
      `Internal error in Ninefold while reading this document: ${message.replace(/\.?$/, ".")}`,
    "Report this as a bug and attach the document: the document is not at fault.",
  ),

  "document/more-mistakes": note<{ readonly reported: number }>(
    ({ reported }) => `Only the first ${reported} mistakes and gaps are reported; there may be more.`,
    "Fix some of them and check again.",
  ),

  // ── Headings ──────────────────────────────────────────────────────────────────────────────────
  "document/missing-title": mistake(
    "Missing title: the document has no level-1 heading.",
    "Begin with `# Interface Specification: <name>`.",
  ),
  "document/unreadable-title": unreadable("the title of an interface specification", ({ text }) =>
    /^interface\s+specification\s*:|`/i.test(text)
      ? "Write `# Interface Specification: <name>`."
      : `Write \`# Interface Specification: ${text}\`.`,
  ),
  "document/second-title": duplicate<{ readonly text: string; readonly part?: string | undefined }>(
    ({ text }) => `level-1 heading "${text}"`,
    ({ part }) =>
      part === undefined
        ? "Remove it, or move the text under it to a document of its own."
        : `Write \`## ${part}\`. It is a part.`,
  ),
  "document/unknown-part": mistake<{
    readonly text: string;
    readonly nearest: string | undefined;
    readonly titles: readonly string[];
  }>(
    ({ text }) => `Unknown part "${text}".`,
    ({ nearest, titles }) =>
      nearest === undefined
        ? `Write one of the nine parts: ${titles.join(" · ")}. Other text can be a level-3 heading of the first part.`
        : `Did you mean \`## ${nearest}\`?`,
  ),
  "document/no-parts": mistake<{ readonly titles: readonly string[] }>(
    "The document has none of the nine parts.",
    ({ titles }) =>
      `Write all of them: ${titles.map((title) => `\`## ${title}\``).join(", ")}. \`ninefold new\` writes them with every item \`not shown\`.`,
  ),
  "document/missing-part": mistake<{
    readonly title: string;
    readonly items: readonly string[];
    readonly before: string | undefined;
    /** Whether the heading is inside a fenced block. */
    readonly isFenced?: boolean;
  }>(
    ({ title }) => `Missing part "${title}".`,
    ({ title, items, before, isFenced }) =>
      isFenced
        ? `Add the line that closes the fenced block above \`## ${title}\`.`
        : `Add \`## ${title}\`${before === undefined ? "" : ` before \`## ${before}\``}, with ${items.map((item) => `\`- ${item}: not shown\``).join(", ")}.`,
  ),
  "document/duplicate-part": duplicate<{ readonly title: string }>(
    ({ title }) => `part "${title}"`,
    "Merge both sections under one heading.",
  ),
  "document/misplaced-part": mistake<{ readonly title: string; readonly after: string | undefined }>(
    ({ title }) => `Part "${title}" is not allowed here: the nine parts have a fixed order.`,
    ({ after }) => (after === undefined ? "Move it before all other parts." : `Move it after "${after}".`),
  ),
  "document/empty-heading": mistake("This heading has no text.", "Add a text, or remove the heading."),

  // ── Blocks ────────────────────────────────────────────────────────────────────────────────────
  "document/outside-parts": warning<{ readonly what: string }>(
    ({ what }) => `This ${what} is before the first part, so it is read as description.`,
    "Move it into the part that it belongs to, or write it as a sentence.",
  ),
  "document/prose-alone": warning<{ readonly title: string; readonly lines: readonly string[] }>(
    ({ title }) => `"${title}" has only prose, which is read as description.`,
    ({ lines }) => `Add items, such as these:\n${lines.join("\n")}`,
  ),
  "document/stray-row": warning<{ readonly text: string }>(
    "This row belongs to no table, so it is read as description.",
    "Remove blank lines inside the table, and write a row of dashes under its header row.",
  ),
  "document/unclosed-fence": mistake<{ readonly fence: string }>(
    ({ fence }) => `The block that opens with ${fence} is not closed.`,
    ({ fence }) => `Add a line ${fence} where the block ends.`,
  ),
  "document/broken-table": mistake<{ readonly columns: number; readonly dashes: number }>(
    ({ columns, dashes }) =>
      `Cannot read this table: its header row has ${count(columns, "column")}, its row of dashes ${dashes}.`,
    "Give both rows the same number of columns.",
  ),
  "document/table-in-item": mistake(
    "This table row is read as part of the text above it.",
    "Add an empty line between the item and the table.",
  ),
  "document/too-many-cells": mistake<{ readonly cells: number; readonly columns: number }>(
    ({ cells, columns }) =>
      `This row has ${count(cells, "cell")}, but the table has ${count(columns, "column")}.`,
    "Write a `|` inside a cell as `\\|`, also in backticks.",
  ),
  "document/row-without-bar": mistake(
    "This line is read as a row of the table above it.",
    "Add an empty line after the table.",
  ),
  "document/duplicate-column": duplicate<{ readonly name: string }>(({ name }) => `column "${name}"`),
  "document/unread-item": mistake<Unread>(
    ({ text }) => `This line begins with the key "${text}" but is not an item, so it has no effect.`,
    ({ line, isIndented }) =>
      `Write \`${line}\`${isIndented ? " at the start of the line" : ""}. If it is description, begin it with other words.`,
  ),
  "document/unread-heading": mistake<{ readonly line: string }>(
    "This heading is not of level 3, so it does not start a section.",
    ({ line }) => `Write \`${line}\`.`,
  ),
  "document/unread-elsewhere": warning<Unread>(
    ({ text, title }) =>
      `This line looks like an item "${text}", which "${title}" does not have, so it has no effect.`,
    ({ line }) =>
      `Write \`${line}\` in the part that it belongs to. If it is description, begin it with other words.`,
  ),
  "document/unread-block": mistake<{
    readonly what: "table" | "block" | "item";
    readonly text: string;
  }>(
    ({ what, text }) => `${unreadBlocks[what](text)} is not allowed here, so it has no effect.`,
    ({ what }) =>
      what === "block"
        ? "Move it under the heading that it belongs to: `### Shape: Name`, or `### Parcel.price` of a computed field. For an example, use another language."
        : `Move the ${what} under the heading that it belongs to, before any heading of another form (\`### Shape: …\`).`,
  ),
  "document/html": warning(
    "HTML is not part of the notation and is not read.",
    "Write it in Markdown. Comments (`<!-- … -->`) are allowed.",
  ),

  // ── The 26 items ──────────────────────────────────────────────────────────────────────────────
  "document/loose-gap": note<{ readonly text: string }>(
    ({ text }) => `"${text}" is read as a gap.`,
    "Write `not shown`. If it is a name, put it in backticks.",
  ),
  "document/contradiction": mistake<{ readonly item: string; readonly here: string; readonly there: string }>(
    ({ item, here, there }) => `Contradiction: "${item}" is "${here}" here, but "${there}" elsewhere.`,
    keepOne,
  ),
  "document/not-shown": gap<{ readonly item: string; readonly title: string }>(
    ({ item, title }) => `${capital(item)} (${title}): not shown.`,
    ({ item }) => `State it when it is known, or write \`- ${capital(item)}: none\`.`,
  ),
  "document/silent": gap<{ readonly item: string; readonly title: string }>(
    ({ item, title }) => `The document doesn't mention ${item} (${title}).`,
    ({ item, title }) => `Add \`- ${capital(item)}: not shown\` under \`## ${title}\`.`,
  ),
  "document/smaller-gap": gap<{ readonly subject: string }>(
    ({ subject }) => `${capital(subject)}: not shown.`,
  ),
};

const unreadBlocks = {
  table: (text: string) => `Table "${text}"`,
  block: () => "A `cel` block",
  item: (text: string) => `Item "${text}"`,
};
