/**
 * Draft of an imported document, line by line. Each line has a key, so that a line that `check`
 * rejects can be withdrawn. The next draft then says less there and keeps the omitted text in a
 * comment.
 */

export type Level = "stated" | "open" | "comment";

export interface DraftLine {
  readonly text: string;
  readonly key: string | undefined;
}

/** How often `check` rejected the line with a key. */
export type Refusals = ReadonlyMap<string, number>;

export class Draft {
  readonly lines: DraftLine[] = [];
  readonly #counts: Map<string, Record<Level, number>>;

  readonly #hasOrigins: boolean;

  /** @param hasOrigins whether each element has a comment with its place */
  constructor(counts: Map<string, Record<Level, number>>, hasOrigins: boolean) {
    this.#counts = counts;
    this.#hasOrigins = hasOrigins;
  }

  add(text: string, key?: string): void {
    this.lines.push({ text, key });
  }

  /** An empty line in front of a block. */
  gap(): void {
    this.add("");
  }

  count(kind: string, level: Level, by = 1): void {
    const row = this.#counts.get(kind) ?? { stated: 0, open: 0, comment: 0 };
    row[level] += by;
    this.#counts.set(kind, row);
  }

  /** Adds a comment about what the notation can't express, with its pointer in the file. */
  comment(pointer: string, notes: readonly string[], kind: string): void {
    if (notes.length === 0) {
      if (this.#hasOrigins && /^(#|schema )/.test(pointer)) {
        this.add(`<!-- openapi ${safe(pointer)} -->`);
        this.gap();
      }
      return;
    }
    this.count(kind, "comment", notes.length);
    const lines: string[] = [];
    let length = pointer.length;
    for (const note of notes) {
      const text = safe(note).slice(0, 400);
      if (length + text.length > 3000) break;
      length += text.length + 2;
      lines.push(text);
    }
    const more = notes.length > lines.length ? `; and ${notes.length - lines.length} more` : "";
    this.add(`<!-- openapi ${safe(pointer)}: ${lines.join("; ")}${more} -->`);
    this.gap();
  }
}

/** Text that can't end a comment. */
function safe(text: string): string {
  return text.slice(0, textMax).replace(/\s+/g, " ").replace(/--+/g, "-").replace(/[<>`]/g, "'");
}

/** Maximum number of characters of a description that are read. One line holds only a few of them. */
const textMax = 4000;

/** A description as one line of a cell or a paragraph, without characters that the notation would read. */
export function oneLine(text: string | undefined, lengthMax = 110): string {
  const line = (text ?? "")
    .slice(0, textMax)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they can't stand in a document.
    .replace(/[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\s]+/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/[`<>\\]/g, "'")
    .replace(/[*_[\]#]+/g, " ")
    .replace(/ +/g, " ")
    .trim();
  const short = line.length <= lengthMax ? line : `${line.slice(0, lengthMax).replace(/\s+\S*$/, "")} …`;
  return isGapWord(short) ? "" : short;
}

/** A description as a cell of a table. */
export function cell(text: string | undefined): string {
  return oneLine(text).replaceAll("|", "\\|");
}

/** A description as a paragraph that is prose, whatever it starts with. */
export function paragraph(text: string | undefined): string {
  const line = oneLine(text, 160)
    .replace(/^[^\p{L}\p{N}"'(]+/u, "")
    .replace(/^(\d+)[.)]/, "$1")
    .replaceAll(":", ",")
    .replaceAll("|", "/");
  if (line === "" || isGapWord(line)) return "";
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

function isGapWord(text: string): boolean {
  return /^\W*(not shown|none|silent|tbd|todo|unknown|\?|-)?\W*$/i.test(text);
}
