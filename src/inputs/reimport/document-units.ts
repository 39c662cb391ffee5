/**
 * Splits a document into units (the text below a heading) and these into pieces (an item, a table
 * row, a paragraph) with keys. Versions of a document can then be compared piece by piece.
 */

/** A piece of a unit. Its key names it in every version of the document. */
export interface Piece {
  readonly key: string;
  readonly kind: "item" | "row" | "text";
  readonly lines: readonly string[];
  /** For a row: the header of its table and the delimiter line. */
  readonly head?: readonly [string, string];
}

/** A heading and what stands below it, up to the next heading. */
export interface Unit {
  /** `Endpoints / GET /pets` */
  readonly key: string;
  /** The line of the heading; empty above the first one. */
  readonly heading: string;
  readonly pieces: readonly Piece[];
}

/** The units of a document in their order. */
export function unitsOf(text: string): readonly Unit[] {
  const units: Unit[] = [];
  const keys = counting();
  let path: readonly string[] = [];
  let heading = "";
  let lines: string[] = [];
  const close = (): void => {
    if (heading !== "" || lines.some((line) => line.trim() !== ""))
      units.push({ key: keys(path.join(" / ")), heading, pieces: piecesOf(lines) });
  };
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    fence = fenceAfter(fence, line);
    const [, level = "", title = ""] = fence === undefined ? (/^(#{1,6}) +(.*?)\s*$/.exec(line) ?? []) : [];
    if (level === "") {
      lines.push(line);
      continue;
    }
    close();
    // The document's title is not part of a key, because the vendor may change it.
    path = level.length === 1 ? [] : [...path.slice(0, level.length - 2), title];
    heading = line;
    lines = [];
  }
  close();
  return units;
}

/** A text of units, with a blank line between pieces that aren't of one list or table. */
export function textOfUnits(units: readonly Unit[]): string {
  const blocks = units.flatMap(({ heading, pieces }) => [
    ...(heading === "" ? [] : [heading]),
    ...blocksOf(pieces),
  ]);
  return `${blocks.join("\n\n")}\n`;
}

function blocksOf(pieces: readonly Piece[]): readonly string[] {
  const blocks: string[][] = [];
  let before: Piece | undefined;
  for (const piece of pieces) {
    const isList = piece.kind === "item" && before?.kind === "item";
    const isTable = piece.kind === "row" && before?.kind === "row" && isSameTable(before, piece);
    if (isList || isTable) blocks.at(-1)?.push(...piece.lines);
    else blocks.push([...(piece.head ?? []), ...piece.lines]);
    before = piece;
  }
  return blocks.map((lines) => lines.join("\n"));
}

/** Whether rows belong to the same table: their columns have the same names. */
export function isSameTable(a: Piece, b: Piece): boolean {
  return (
    a.head !== undefined && b.head !== undefined && withoutPadding(a.head[0]) === withoutPadding(b.head[0])
  );
}

/** A line without the padding of the canonical form, to compare it. */
export function withoutPadding(line: string): string {
  return line.startsWith("|")
    ? cellsOf(line)
        .map((cell) => (/^:?-+:?$/.test(cell) ? "-" : cell))
        .join("|")
    : line.trimEnd();
}

/** The cells of a row, split at pipes that aren't escaped. */
export function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function piecesOf(lines: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  const keys = counting();
  for (const block of blocksIn(lines)) {
    const [first = "", second = ""] = block;
    if (first.startsWith("|") && /^\|[\s:|-]+$/.test(second)) pieces.push(...rowsOf(block, keys));
    else if (first.startsWith("- ")) pieces.push(...itemsIn(block, keys));
    else pieces.push({ key: keys(`text ${block.join("\n")}`), kind: "text", lines: block });
  }
  return pieces;
}

function rowsOf([head = "", rule = "", ...rows]: readonly string[], keys: (key: string) => string): Piece[] {
  const names = cellsOf(head).map((name) => name.toLowerCase());
  // The location of an input is part of its key.
  const width = names[1] === "in" ? 2 : 1;
  return rows.map((row) => ({
    key: keys(`row ${names.join(",")}: ${cellsOf(row).slice(0, width).join(" in ")}`),
    kind: "row",
    lines: [row],
    head: [head, rule],
  }));
}

function itemsIn(block: readonly string[], keys: (key: string) => string): Piece[] {
  const items: string[][] = [];
  for (const line of block)
    if (line.startsWith("- ")) items.push([line]);
    else items.at(-1)?.push(line);
  return items.map((lines) => {
    const [, name = "", value = ""] = /^- ([^:]+):(.*)$/.exec(lines[0] ?? "") ?? [];
    const low = name.toLowerCase();
    const of = low === "header" ? (/^ *([\w-]+):/.exec(value)?.[1] ?? "") : "";
    return { key: keys(`item ${low} ${of}`.trim()), kind: "item", lines };
  });
}

/** Blocks of lines without a blank line. A fence is one block, including its blank lines. */
function blocksIn(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [[]];
  let fence: string | undefined;
  for (const line of lines) {
    fence = fenceAfter(fence, line);
    if (line.trim() === "" && fence === undefined) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

/** The fence that is open after a line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
  if (open === undefined) return mark;
  return mark?.startsWith(open) && line.trim() === mark ? undefined : open;
}

/** Makes keys unique: the second piece of the same name gets a number. */
function counting(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  };
}
