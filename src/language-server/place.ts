/**
 * Place of a cursor: its part, section, and item or cell. It is found line by line in the text,
 * because an incomplete line has no node in the syntax yet.
 */
import type { PartName } from "../syntax/nodes.ts";
import { chunkAt, chunksOf, closingForm, fenceForm, headingForm, partTitled } from "./chunks.ts";

export type Form = "heading" | "key" | "value" | "column" | "cell" | "fence" | "prose";

export interface Place {
  readonly part: PartName | undefined;
  /** The text of the level-3 heading above; empty before the first one of a part. */
  readonly section: string;
  readonly form: Form;
  /**
   * The key of an item in lower case, the heading of a column in lower case, or the language of a
   * block.
   */
  readonly label: string;
  /**
   * The region of the form, in offsets: a key, the value of an item, a cell, the content of a
   * block.
   */
  readonly start: number;
  readonly end: number;
}

/** Whether a place has text for readers, without names. */
export function isProse({ form, label }: Place): boolean {
  if (form === "cell") return label === "meaning" || label === "changes";
  return form === "value" && /^(purpose|domain|behaviour|compatibility)$/.test(label);
}

interface Line {
  readonly text: string;
  readonly start: number;
}

interface Fence {
  readonly language: string;
  /** The content, and the start of the line that closes it. */
  readonly start: number;
  readonly end: number;
  readonly close: number;
}

/** The state that the lines above determine. */
interface Progress {
  part: PartName | undefined;
  section: string;
  fence: Fence | undefined;
  /** The headings of the table's columns. */
  columns: readonly string[] | undefined;
  item: { readonly key: string; readonly start: number } | undefined;
}

/** One line of a text, and the place of each offset in it. */
export interface PlacedLine extends Line {
  placeOf(offset: number): Place;
}

export function placeAt(text: string, offset: number): Place {
  const chunk = chunkAt(chunksOf(text), offset);
  const place = placeIn(chunk.text, chunk.part, offset - chunk.start);
  return { ...place, start: place.start + chunk.start, end: place.end + chunk.start };
}

/** The place of an offset in a chunk of this part; its own offsets count from the chunk's start. */
export function placeIn(text: string, part: PartName | undefined, offset: number): Place {
  for (const line of placedLines(text, part))
    if (offset <= line.start + line.text.length) return line.placeOf(offset);
  return { part, section: "", form: "prose", label: "", start: offset, end: offset };
}

/** All lines of a text. `part` is the part in which it starts. */
export function* placedLines(text: string, part?: PartName): Generator<PlacedLine> {
  const progress: Progress = {
    part,
    section: "",
    fence: undefined,
    columns: undefined,
    item: undefined,
  };
  for (const line of linesOf(text)) {
    const above = { ...progress };
    readLine(line, progress, line.start, text);
    yield { ...line, placeOf: (offset) => readLine(line, { ...above }, offset, text) };
  }
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (const line of text.split("\n")) {
    yield { text: line.endsWith("\r") ? line.slice(0, -1) : line, start };
    start += line.length + 1;
  }
}

function placed(progress: Progress, form: Form, label: string, start: number, end: number): Place {
  const { part, section } = progress;
  return { part, section, form, label, start, end };
}

const itemForm = /^( {0,3}[-*+]\s+)(.*)$/;

/**
 * Updates the progress by a line, and returns the place of the offset as if it were in this line.
 */
function readLine(line: Line, progress: Progress, offset: number, text: string): Place {
  const end = line.start + line.text.length;
  const fence = fenceForm.exec(line.text);
  if (progress.fence) return readFenced(line, progress, progress.fence);
  if (fence) {
    const [, mark = "", language = ""] = fence;
    progress.fence = fenceFrom(text, end + 1, mark, language.toLowerCase());
    return placed(progress, "prose", "", line.start, end);
  }
  const heading = headingForm.exec(line.text);
  if (heading) return readHeading(line, progress, heading);
  if (line.text.trim() === "") {
    progress.item = undefined;
    progress.columns = undefined;
    return placed(progress, "prose", "", line.start, end);
  }
  const item = itemForm.exec(line.text);
  if (item) return readItem(line, progress, item, offset, text);
  if (/^\s*\|/.test(line.text)) return readRow(line, progress, offset);
  if (progress.item) return placed(progress, "value", progress.item.key, progress.item.start, end);
  return placed(progress, "prose", "", line.start, end);
}

function fenceFrom(text: string, start: number, mark: string, language: string): Fence {
  const found = closingForm(mark, "m").exec(text.slice(start));
  const close = found ? start + found.index : text.length + 1;
  return { language, start, end: Math.max(start, close - 1), close };
}

function readFenced(line: Line, progress: Progress, fence: Fence): Place {
  if (line.start < fence.close) return placed(progress, "fence", fence.language, fence.start, fence.end);
  progress.fence = undefined;
  return placed(progress, "prose", "", line.start, line.start + line.text.length);
}

function readHeading(line: Line, progress: Progress, [, marks = "", title = ""]: RegExpExecArray): Place {
  const end = line.start + line.text.length;
  progress.item = undefined;
  progress.columns = undefined;
  if (marks.length <= 2) progress.section = "";
  if (marks.length === 2) progress.part = partTitled(title);
  if (marks.length === 3) progress.section = title.trim();
  return placed(progress, "heading", marks, end - title.length, end);
}

function readItem(
  line: Line,
  progress: Progress,
  [, dash = "", rest = ""]: RegExpExecArray,
  offset: number,
  text: string,
): Place {
  const start = line.start + dash.length;
  const end = start + rest.length;
  progress.columns = undefined;
  const colon = rest.indexOf(":");
  const key = rest
    .slice(0, colon === -1 ? undefined : colon)
    .trim()
    .toLowerCase();
  progress.item = { key, start: colon === -1 ? end : start + colon + 1 };
  if (colon === -1 || offset <= start + colon)
    return placed(progress, "key", "", start, colon === -1 ? end : start + colon);
  return placed(progress, "value", key, progress.item.start, endOfItem(text, end));
}

/** The end of an item, which continues on the next lines up to an empty line or another block. */
function endOfItem(text: string, end: number): number {
  const more = /^(?:\n(?!\s*$|\s*\n| {0,3}(?:[-*+]\s|#{1,6}\s|`{3}|~{3}|\|))[^\n]*)*/.exec(text.slice(end));
  return end + (more?.[0].length ?? 0);
}

function readRow(line: Line, progress: Progress, offset: number): Place {
  progress.item = undefined;
  const cells = cellsOf(line);
  const at = Math.max(
    0,
    cells.findLastIndex(({ start }) => offset >= start),
  );
  const cell = cells[at] ?? { text: "", start: line.start, end: line.start };
  const { columns } = progress;
  if (!columns) {
    progress.columns = cells.map((heading) => heading.text.trim().toLowerCase());
    return placed(progress, "column", "", cell.start, cell.end);
  }
  // The delimiter row below the headings, even while it is edited.
  if (/^\s*\|[\s:]*-{2}/.test(line.text)) return placed(progress, "prose", "", cell.start, cell.end);
  return placed(progress, "cell", columns[at] ?? "", cell.start, cell.end);
}

interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function cellsOf({ text, start }: Line): readonly Cell[] {
  const cells: Cell[] = [];
  let from = text.indexOf("|") + 1;
  for (let at = from; at <= text.length; at += 1) {
    const isEnd = at === text.length || (text[at] === "|" && text[at - 1] !== "\\");
    if (!isEnd) continue;
    if (at < text.length || from < at)
      cells.push({ text: text.slice(from, at), start: start + from, end: start + at });
    from = at + 1;
  }
  return cells;
}

/** The part of the region that is an expression: within backticks, or a block in CEL. */
export interface ExpressionRegion {
  readonly start: number;
  readonly end: number;
  /** Whether the closing backtick is missing. */
  readonly isOpen: boolean;
}

/** The expression that contains the offset; undefined without one. */
export function expressionAt(text: string, place: Place, offset: number): ExpressionRegion | undefined {
  if (place.form === "fence")
    return place.label === "cel" ? { start: place.start, end: place.end, isOpen: false } : undefined;
  if (place.form !== "value" && place.form !== "cell") return undefined;
  let open: number | undefined;
  for (let at = place.start; at < offset; at += 1) {
    if (text[at] !== "`") continue;
    open = open === undefined ? at : undefined;
  }
  if (open === undefined) return undefined;
  const close = text.indexOf("`", offset);
  const isOpen = close === -1 || close > place.end;
  return { start: open + 1, end: isOpen ? place.end : close, isOpen };
}

/** The kind of a section by its heading, without its own name. */
export function sectionKind({ part, section }: Pick<Place, "part" | "section">): string {
  if (section === "") return "";
  if (/^[A-Z]+\s+\//.test(section)) return "endpoint";
  if (section.startsWith("/")) return "path";
  const kind = /^(shape|scenario|given|scheme|changes in|records of|stored change)\b/i.exec(section)?.[1];
  if (kind) return kind.toLowerCase();
  return part === "states" && section.includes(":") ? "transition" : "resource";
}
