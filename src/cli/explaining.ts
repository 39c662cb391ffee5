/**
 * What `ninefold explain` finds: the page of a diagnostic, or the lines of the reference that tell of an item, a rule, a type, a function or a
 * name. Pure: it is given the texts.
 */
import { nearest } from "../support/nearest.ts";

/** A place of the reference, with its headings above it. */
export interface Found {
  readonly headings: readonly string[];
  /** A row of a table as its cells, or a line of text. */
  readonly cells: readonly string[];
}

/** Most places that are told of one word. */
const foundMax = 12;

/** Paragraphs that name it, told behind the rows that are about it. */
const paragraphsMax = 3;

/** All places of the reference that are about the word: rows in whose first cell it stands as code, then paragraphs that begin to speak of it so. */
export function placesOf(word: string, reference: string): readonly Found[] {
  const wanted = word
    .trim()
    .replace(/^- +|\(.*\)$|:$/g, "")
    .toLowerCase();
  const rows: Found[] = [];
  const paragraphs: Found[] = [];
  for (const { headings, cells, text } of piecesOf(reference)) {
    if (cells && subjectsOf(cells[0] ?? "").includes(wanted)) rows.push({ headings, cells });
    if (text === undefined) continue;
    // A paragraph that is about it says so in bold letters; others only speak of it.
    const title = /^\*\*(.+?)\.?\*\*/.exec(text)?.[1]?.toLowerCase();
    if (title === wanted) paragraphs.unshift({ headings, cells: [text] });
    else if (subjectsOf(text).includes(wanted)) paragraphs.push({ headings, cells: [text] });
  }
  return [...rows.slice(0, foundMax), ...paragraphs.slice(0, paragraphsMax)];
}

/** The word of the reference, or the code, that is nearest to one that isn't known. */
export function nearestWord(word: string, reference: string, codes: readonly string[]): string | undefined {
  if (word.includes("/")) return nearest(word, codes);
  const known = piecesOf(reference).flatMap(({ cells }) => subjectsOf(cells?.[0] ?? ""));
  return nearest(word.toLowerCase(), new Set(known));
}

interface Piece {
  readonly headings: readonly string[];
  /** Of a row of a table. */
  readonly cells?: readonly string[];
  /** Of a paragraph, in one line. */
  readonly text?: string;
}

function piecesOf(reference: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let headings: readonly string[] = [];
  let fence: string | undefined;
  let text: string[] = [];
  const end = (): void => {
    if (text.length > 0) pieces.push({ headings, text: text.join(" ") });
    text = [];
  };
  for (const line of reference.split("\n")) {
    const mark = /^`{3,}/.exec(line)?.[0];
    if (mark !== undefined && (fence === undefined || mark === fence)) {
      end();
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const heading = /^(#{2,4}) (.*)$/.exec(line);
    const isRow = /^\|.*\|\s*$/.test(line);
    if (heading || isRow || line.trim() === "") end();
    if (heading) headings = [...headings.slice(0, (heading[1] as string).length - 2), heading[2] as string];
    else if (isRow && !/^\|[-:| ]+\|\s*$/.test(line)) pieces.push({ headings, cells: cellsOf(line) });
    else if (!isRow && line.trim() !== "") text.push(line.trim());
  }
  end();
  return pieces;
}

function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** What it is about: of `` `- Idempotency: header X` `` the item, of `` `matches(text, pattern)` `` the function, of `` `length 1..20` `` the rule. */
function subjectsOf(text: string): readonly string[] {
  const codes = [...text.matchAll(/(`+)\s?(.*?)\s?\1(?!`)/g)].map((match) => match[2] as string);
  return codes.flatMap((code) => {
    const item = /^(?:- |### )?([A-Za-z][\w .-]*?)\s*(?::|\(|$)/.exec(code)?.[1];
    const start = /^(?:- |### )?([a-z][\w-]*(?:\.[a-z_]\w*)*)/i.exec(code)?.[1];
    return [item, start].filter((one) => one !== undefined).map((one) => one.toLowerCase());
  });
}

/** For a terminal: the headings, then the row, its cells below one another. */
export function foundText({ headings, cells }: Found): string {
  const [first = "", ...more] = cells.filter((cell) => cell !== "");
  return `${headings.join(" › ")}\n\n  ${first}\n${more.map((cell) => `    ${cell}\n`).join("")}`;
}
