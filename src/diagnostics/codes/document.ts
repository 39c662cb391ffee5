/** The diagnostics of the document as a whole: its headings, its blocks, its 26 items, the ceilings. Each code once, with its words. */
import { code } from "../code.ts";

/** A line that looks like an item: its key, the item to write, and the title of the part that it stands in. */
export interface Unread {
  readonly text: string;
  readonly line: string;
  readonly title: string;
}

export const documentCodes = {
  // ── The text ──────────────────────────────────────────────────────────────────────────────────
  "document/too-long": code<{ readonly bytes: number; readonly bytesMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ bytes, bytesMax }) => `The document has ${bytes} bytes; at most ${bytesMax} are read.`,
    hint: () => "Split the interface into several documents.",
  }),
  "document/line-too-long": code<{ readonly length: number; readonly lengthMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ length, lengthMax }) =>
      `This line has ${length} characters; what stands behind the first ${lengthMax} is not read.`,
    hint: () => "Break the line; a value may go on in the next one, indented.",
  }),
  "document/nested-too-deep": code<{ readonly depthMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ depthMax }) => `Lists and quotations stand more than ${depthMax} deep in one another here.`,
    hint: () => "Write it flatter.",
  }),
  "document/table-too-wide": code<{ readonly columns: number; readonly columnsMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ columns, columnsMax }) =>
      `This table has ${columns} columns; at most ${columnsMax} are read.`,
  }),
  "document/table-too-long": code<{ readonly rowsMax: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ rowsMax }) => `This table has more than ${rowsMax} rows; the rows from here on are not read.`,
  }),
  "document/control-character": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `Here stands ${name}, which can't be seen and makes a text look like another.`,
    hint: () => "Delete it.",
  }),
  "document/too-slow": code<{ readonly milliseconds: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ milliseconds }) =>
      `Reading the document took longer than ${milliseconds} ms and was stopped.`,
    hint: () =>
      "Look for something very deep or very repetitive; if the document is an ordinary one, please report this.",
  }),
  "document/fault": code<{ readonly message: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ message }) => `Ninefold itself failed while it read this document: ${message}`,
    hint: () => "That is a fault of Ninefold's, not of the document: please report it, with the document.",
  }),

  "document/more-mistakes": code<{ readonly told: number }>({
    kind: "mistake",
    severity: "note",
    message: ({ told }) => `Only ${told} mistakes and gaps are told; there may be more.`,
    hint: () => "Mend some of them and check again.",
  }),

  // ── Headings ──────────────────────────────────────────────────────────────────────────────────
  "document/missing-title": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "The document has no level-1 heading.",
    hint: () => "Begin with `# Interface Specification: <name>`.",
  }),
  "document/unreadable-title": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is no title of an interface specification.`,
    hint: () => "Write `# Interface Specification: <name>`.",
  }),
  "document/second-title": code<{ readonly text: string; readonly part?: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is a second level-1 heading; a document has one.`,
    hint: ({ part }) =>
      part === undefined
        ? "Give it another level, or make a document of its own of it."
        : `It is a part: write \`## ${part}\`.`,
  }),
  "document/unknown-part": code<{
    readonly text: string;
    readonly nearest: string | undefined;
    readonly titles: readonly string[];
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) => `"${text}" is none of the nine parts.`,
    hint: ({ nearest, titles }) =>
      nearest === undefined
        ? `Level-2 headings are: ${titles.join(" · ")}.`
        : `Did you mean \`## ${nearest}\`?`,
  }),
  "document/no-parts": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "The document has none of the nine parts.",
    hint: () => "`ninefold new` writes all of them, with every item `not shown`.",
  }),
  "document/missing-part": code<{
    readonly title: string;
    readonly items: readonly string[];
    readonly before: string | undefined;
    /** Its heading stands inside of a fenced block. */
    readonly isFenced?: boolean;
  }>({
    kind: "mistake",
    severity: "error",
    message: ({ title }) => `The part "${title}" is missing.`,
    hint: ({ title, items, before, isFenced }) =>
      isFenced
        ? `\`## ${title}\` stands inside of a fenced block. Is a line that opens or closes a block missing?`
        : `Add \`## ${title}\`${before === undefined ? "" : ` before \`## ${before}\``}, and in it ${items.map((item) => `\`- ${item}: not shown\``).join(", ")}.`,
  }),
  "document/duplicate-part": code<{ readonly title: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ title }) => `The part "${title}" stands here a second time.`,
    hint: () => "Bring what stands under both headings together under one.",
  }),
  "document/misplaced-part": code<{ readonly title: string; readonly after: string | undefined }>({
    kind: "mistake",
    severity: "error",
    message: ({ title }) => `The part "${title}" is not in its place; the nine parts have one order.`,
    hint: ({ after }) => (after === undefined ? "It comes first." : `It comes after "${after}".`),
  }),
  "document/empty-heading": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This heading has no text.",
    hint: () => "Name what stands under it, or take the heading out.",
  }),

  // ── Blocks ────────────────────────────────────────────────────────────────────────────────────
  "document/outside-parts": code<{ readonly what: string }>({
    kind: "mistake",
    severity: "warning",
    message: ({ what }) => `This ${what} stands before the first part, so it is read as description.`,
    hint: () => "Move it into the part that it belongs to.",
  }),
  "document/prose-alone": code<{ readonly title: string; readonly lines: readonly string[] }>({
    kind: "mistake",
    severity: "warning",
    message: ({ title }) => `"${title}" has text, and nothing that is read: text is description.`,
    hint: ({ lines }) => `State it, in lines such as these:\n${lines.join("\n")}`,
  }),
  "document/stray-row": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "warning",
    message: () => "This row stands in no table, so it is read as description.",
    hint: () => "A table has no blank line in it, and a line of dashes below its headings.",
  }),
  "document/unclosed-fence": code<{ readonly fence: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ fence }) => `The block that opens with ${fence} is never closed.`,
    hint: ({ fence }) => `Add a line with ${fence} where it ends.`,
  }),
  "document/broken-table": code<{ readonly columns: number; readonly dashes: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ columns, dashes }) =>
      `This is no table: its heading row has ${count(columns, "column")}, the row of dashes ${dashes}.`,
    hint: () => "Give both rows the same number of columns.",
  }),
  "document/table-in-item": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This table row is read as a continuation of the text above it.",
    hint: () => "Put an empty line between the item and the table.",
  }),
  "document/too-many-cells": code<{ readonly cells: number; readonly columns: number }>({
    kind: "mistake",
    severity: "error",
    message: ({ cells, columns }) =>
      `This row has ${count(cells, "cell")}, the table ${count(columns, "column")}.`,
    hint: () => "A `|` inside a cell is written `\\|`, in backticks too.",
  }),
  "document/row-without-bar": code<Record<string, never>>({
    kind: "mistake",
    severity: "error",
    message: () => "This line is read as a row of the table above it.",
    hint: () => "Put an empty line behind the table.",
  }),
  "document/duplicate-column": code<{ readonly name: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ name }) => `The table has two columns "${name}".`,
  }),
  "document/unread-item": code<Unread>({
    kind: "mistake",
    severity: "error",
    message: ({ text }) =>
      `This line begins with the key "${text}", but is not an item, so it has no effect.`,
    hint: ({ line }) => `Write \`${line}\`. If it is description, begin it with other words.`,
  }),
  "document/unread-heading": code<{ readonly line: string }>({
    kind: "mistake",
    severity: "error",
    message: () => "This heading is not of level 3, so what stands below it is not read as its own.",
    hint: ({ line }) => `Write \`${line}\`.`,
  }),
  "document/unread-elsewhere": code<Unread>({
    kind: "mistake",
    severity: "warning",
    message: ({ text, title }) =>
      `This line looks like an item "${text}", which "${title}" does not have, so it has no effect.`,
    hint: ({ line }) =>
      `Write \`${line}\` in the part that it belongs to. If it is description, begin it with other words.`,
  }),
  "document/unread-block": code<{ readonly what: "table" | "block" | "item"; readonly text: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ what, text }) =>
      what === "table"
        ? `No table "${text}" is read here, so it has no effect.`
        : what === "block"
          ? "No `cel` block is read here, so it has no effect."
          : `No item is read here, so "${text}" has no effect.`,
    hint: ({ what }) =>
      what === "block"
        ? "Put it under the heading that it belongs to: `### Shape: Name`, or `### Parcel.price` of a computed field. An example is a block of another language."
        : `Put the ${what} under the heading that it belongs to, before any heading of another form (\`### Shape: …\`).`,
  }),
  "document/html": code<Record<string, never>>({
    kind: "mistake",
    severity: "warning",
    message: () => "HTML isn't read; it is no part of the notation.",
    hint: () => "Write it in Markdown. (Comments, `<!-- … -->`, may stay.)",
  }),

  // ── The 26 items ──────────────────────────────────────────────────────────────────────────────
  "document/loose-gap": code<{ readonly text: string }>({
    kind: "mistake",
    severity: "note",
    message: ({ text }) => `"${text}" is read as a gap.`,
    hint: () => "Write `not shown`. (A name like this goes in backticks.)",
  }),
  "document/contradiction": code<{ readonly item: string; readonly here: string; readonly there: string }>({
    kind: "mistake",
    severity: "error",
    message: ({ item, here, there }) =>
      `Of "${item}" the document says both that it is ${there} and, here, that it is ${here}.`,
    hint: () => "Keep one of the two.",
  }),
  "document/not-shown": code<{ readonly item: string; readonly title: string }>({
    kind: "gap",
    severity: "note",
    message: ({ item, title }) => `${capital(item)} (${title}): not shown.`,
    hint: ({ item }) => `When it is known, state it in place of this, or write \`- ${capital(item)}: none\`.`,
  }),
  "document/silent": code<{ readonly item: string; readonly title: string }>({
    kind: "gap",
    severity: "note",
    message: ({ item, title }) => `The document doesn't mention ${item} (${title}).`,
    hint: ({ item, title }) => `Add \`- ${capital(item)}: not shown\` under \`## ${title}\`.`,
  }),
  "document/smaller-gap": code<{ readonly subject: string }>({
    kind: "gap",
    severity: "note",
    message: ({ subject }) => `${capital(subject)}: not shown.`,
  }),
};

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
