/**
 * Search in the reference for `ninefold explain`: the lines that describe an item, a rule, a type,
 * a function or a name, and whole sections. Pure: the texts are arguments.
 */
import { nearest } from "../support/nearest.ts";

/** A place of the reference, with its headings above it. */
export interface Found {
  readonly headings: readonly string[];
  /** A row of a table as its cells, or a line of text. */
  readonly cells: readonly string[];
  /** Whether it is a row about something else, which only mentions the word. */
  readonly isMention?: true;
}

/** Maximum number of places printed for one word. */
const foundMax = 12;

/** Maximum number of paragraphs with the word, printed after the rows about it. */
const paragraphsMax = 3;

/**
 * All places of the reference about the word. First come rows whose first cell has it as code. Then
 * come whole sections with that name or that a row refers to, and paragraphs that start with it as
 * code. If there is neither a row nor a section, paragraphs that mention it as code are the places.
 */
export function placesOf(word: string, reference: string): readonly Found[] {
  const wanted = word
    .trim()
    .replace(/^- +|\(.*\)$|:$/g, "")
    .toLowerCase();
  const pieces = piecesOf(reference);
  const rows = pieces
    .filter(({ cells, isTop }) => cells && !isTop)
    .flatMap((row): readonly (Piece & Pick<Found, "isMention">)[] => {
      const [first = "", ...more] = row.cells ?? [];
      const isSubject = subjectsOf(first).includes(wanted);
      if (isSubject && /^\W*`/.test(first)) return [row];
      if (!isSubject && first.toLowerCase() !== wanted) return [];
      // A row that begins with words, as in the table of gaps: its cells mean nothing without their columns.
      const titled = more.map((cell, at) => (cell === "" ? "" : `${row.columns?.[at + 1]}: ${cell}`));
      return isSubject
        ? [{ ...row, cells: [`${row.columns?.[0]}: ${first}`, ...titled], isMention: true as const }]
        : [{ ...row, cells: [first, ...titled] }];
    });
  const titles = new Set([
    wanted,
    `${wanted}s`,
    ...rows.flatMap(({ cells = [] }) => titlesIn(cells.slice(1).join(" "))),
  ]);
  const printed = new Set<Piece>();
  const sections = pieces.flatMap((piece, at) => {
    const title = titleOf(piece);
    if (title === undefined || !titles.has(title) || printed.has(piece)) return [];
    const section = sectionAt(pieces, at);
    for (const item of section) printed.add(item);
    return [{ headings: piece.headings, cells: section.map(lineOf) }];
  });
  // Where rows or sections describe the word, a paragraph that only mentions it says nothing new.
  const isDescribed = rows.length > 0 || sections.length > 0;
  const paragraphs = pieces.filter(
    (piece) =>
      piece.text !== undefined &&
      !printed.has(piece) &&
      (isDescribed ? firstSubjectsOf(piece.text) : subjectsOf(piece.text)).includes(wanted),
  );
  return [
    // A row about the word alone says more about it than a row about several words.
    ...rows
      .toSorted((a, b) => codesIn(a.cells?.[0] ?? "").length - codesIn(b.cells?.[0] ?? "").length)
      .slice(0, foundMax)
      .map(({ headings, cells = [], isMention }) => ({ headings, cells, ...(isMention && { isMention }) })),
    ...sections,
    ...paragraphs
      .slice(0, paragraphsMax)
      .map((piece) => ({ headings: piece.headings, cells: [lineOf(piece)] })),
  ];
}

/** The title of a paragraph (`**Media types of bodies.**`), or of a table. */
function titleOf({ text, cells, isTop }: Piece): string | undefined {
  if (isTop) return cells?.[0]?.replaceAll("`", "").toLowerCase();
  return titlesIn(/^\*\*.+?\*\*/.exec(text ?? "")?.[0] ?? "")[0];
}

function titlesIn(text: string): readonly string[] {
  return [...text.matchAll(/\*\*(.+?)\.?\*\*|\btable `(\w+)`/g)].map(([, bold, table]) =>
    (bold ?? table ?? "").toLowerCase(),
  );
}

/** From a title to the next one, or to the next heading. */
function sectionAt(pieces: readonly Piece[], at: number): readonly Piece[] {
  const first = pieces[at];
  const rest = pieces.slice(at + 1);
  const end = rest.findIndex(
    (piece) => titleOf(piece) !== undefined || piece.headings.join() !== first?.headings.join(),
  );
  const within = end === -1 ? rest : rest.slice(0, end);
  return first ? [...(first.isTop ? [] : [first]), ...within] : [];
}

function lineOf({ cells, text = "" }: Piece): string {
  return cells?.filter((cell) => cell !== "").join(": ") ?? text;
}

/**
 * The whole section under the heading with this title (`Null`, `Part 3`, `Endpoints`), with its
 * subsections and examples.
 */
export function headingSection(title: string, page: string): string | undefined {
  const wanted = title.trim().toLowerCase();
  const lines = page.split("\n");
  const headings = headingsOf(lines);
  const found = headings.find(({ text }) => {
    const [, part, rest = text] = /^(Part \d): (.*)$/.exec(text) ?? [];
    const number = part?.slice("Part ".length);
    return [text, part, number, rest].some((form) => form?.toLowerCase() === wanted);
  });
  if (!found) return undefined;
  const end = headings.find(({ line, depth }) => line > found.line && depth <= found.depth);
  return `${lines.slice(found.line, end?.line).join("\n").trimEnd()}\n`;
}

/** The titles of all headings of a page. */
export function headingTitles(page: string): readonly string[] {
  return headingsOf(page.split("\n")).map(({ text }) => text);
}

/** The headings of a page with the size of each section, as a list that is indented by depth. */
export function headingList(page: string): readonly string[] {
  const lines = page.split("\n");
  const headings = headingsOf(lines);
  return headings.map(({ line, depth, text }, at) => {
    const end = headings.slice(at + 1).find((next) => next.depth <= depth)?.line;
    const size = lines.slice(line, end).join("\n").length;
    return `${"  ".repeat(depth - 1)}${text.padEnd(46 - 2 * depth)}${String(Math.ceil(size / 1000)).padStart(4)} kB`;
  });
}

/** Headings outside of fenced blocks, which contain documents of their own. */
function headingsOf(lines: readonly string[]) {
  let fence: string | undefined;
  return lines.flatMap((text, line) => {
    const mark = /^`{3,}/.exec(text)?.[0];
    if (mark !== undefined && (fence === undefined || mark === fence))
      fence = fence === undefined ? mark : undefined;
    const [, hashes, title] = fence === undefined ? (/^(#{2,4}) (.*)$/.exec(text) ?? []) : [];
    return hashes === undefined || title === undefined ? [] : [{ line, depth: hashes.length, text: title }];
  });
}

/** Maximum number of words that are suggested for an unknown one. */
const suggestionsMax = 3;

/**
 * The known words nearest to an unknown one: first those with a similar spelling, then those that
 * contain it or are in it.
 */
export function nearestWords(word: string, known: Iterable<string>): readonly string[] {
  const wanted = word.trim().toLowerCase();
  const left = new Set(known);
  const found: string[] = [];
  while (found.length < suggestionsMax) {
    const next = nearestOf(wanted, [...left]);
    if (next === undefined) break;
    found.push(next);
    left.delete(next);
  }
  const akin = [...left].filter(
    (candidate) => candidate.length > 3 && (candidate.includes(wanted) || isWordIn(candidate, wanted)),
  );
  return [...found, ...akin.sort((a, b) => a.length - b.length)].slice(0, suggestionsMax);
}

/** Maximum number of words that `nearest` compares. */
const comparedMax = 500;

function nearestOf(word: string, known: readonly string[]): string | undefined {
  if (known.length <= comparedMax) return nearest(word, known);
  const first = nearest(word, known.slice(0, comparedMax));
  const rest = nearestOf(word, known.slice(comparedMax));
  return nearest(
    word,
    [first, rest].filter((candidate) => candidate !== undefined),
  );
}

function isWordIn(word: string, phrase: string): boolean {
  return ` ${phrase.replaceAll(/[-_/]/g, " ")} `.includes(` ${word} `);
}

/** The cells of all rows of a page's tables, without their headings. */
export function tableRows(page: string): readonly (readonly string[])[] {
  return piecesOf(page).flatMap(({ cells, isTop }) => (cells && !isTop ? [cells] : []));
}

/** All words that rows of the reference describe. */
export function subjectsIn(reference: string): readonly string[] {
  return piecesOf(reference).flatMap(({ cells, isTop }) => (isTop ? [] : subjectsOf(cells?.[0] ?? "")));
}

/**
 * A page's text for a terminal, which can't follow links: the command for a link's target replaces
 * it.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(([^)\s]*)\)/g, (_, shown: string, target: string) => {
    const [path = "", anchor] = target.split("#");
    if (path === "") return `${shown} (\`ninefold explain "${(anchor ?? "").replaceAll("-", " ")}"\`)`;
    const page =
      /^(?:\.\.\/)*((?:guides|quickstart)\/[\w-]+|benchmarks|compared|playground|notation|engine-defaults|decisions|names|lifecycle|tutorial|card)\.md$/.exec(
        path,
      )?.[1];
    return page === undefined ? shown : `${shown} (\`ninefold help ${page}\`)`;
  });
}

interface Piece {
  readonly headings: readonly string[];
  /** For a row of a table. */
  readonly cells?: readonly string[];
  /** For a row of a table below its heading row: the titles of the columns. */
  readonly columns?: readonly string[];
  /** Whether it is the heading row of its table. */
  readonly isTop?: true;
  /** For a paragraph, on one line. */
  readonly text?: string;
}

function piecesOf(reference: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let headings: readonly string[] = [];
  let fence: string | undefined;
  let text: string[] = [];
  let columns: readonly string[] = [];
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
    if (heading || isRow || line.trim() === "" || line.startsWith("- ")) end();
    if (heading) headings = [...headings.slice(0, (heading[1] as string).length - 2), heading[2] as string];
    else if (isRow && /^\|[-:| ]+\|\s*$/.test(line)) {
      columns = pieces.pop()?.cells ?? [];
      pieces.push({ headings, cells: columns, isTop: true });
    } else if (isRow) pieces.push({ headings, cells: cellsOf(line), columns });
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

/**
 * Its subject: the item for `` `- Idempotency: header X` ``, the function for `` `matches(text,
 * pattern)` ``, the rule for `` `length 1..20` ``.
 */
function subjectsOf(text: string): readonly string[] {
  return codesIn(text).flatMap((code) => {
    const item = /^(?:- |### |\.)?([A-Za-z][\w .-]*?)(?:\s[A-Z]\w*)?\s*(?::|\(|$)/.exec(code)?.[1];
    const start = /^(?:- |### )?([a-z][\w-]*(?:\.[a-z_]\w*)*)/i.exec(code)?.[1];
    const pair = /^(?:- )?([a-z]+ [a-z]+)\b(?!:)/.exec(code)?.[1];
    return [
      ...new Set(
        [item, start, pair].filter((candidate) => candidate !== undefined).map((name) => name.toLowerCase()),
      ),
    ];
  });
}

/** Each code in a text, without its backticks. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/(`+)\s?(.*?)\s?\1(?!`)/g)].map((match) => match[2] as string);
}

/** The subjects of a text that starts with code, perhaps in a list or in bold; none for others. */
function firstSubjectsOf(text: string): readonly string[] {
  const [, code = ""] = /^(?:- )?(?:\*\*)?(`[^`]+`)/.exec(text) ?? [];
  return subjectsOf(code);
}

/**
 * Text for a terminal: each place once, those under the same headings together. A row has its cells
 * below one another.
 */
export function foundText(places: readonly Found[]): readonly string[] {
  const groups = Map.groupBy(places, ({ headings }) => headings.join(" › "));
  return [...groups].map(([headings, group]) =>
    [`${headings}\n`, ...new Set(group.map(cellsText))].join("\n"),
  );
}

function cellsText({ cells }: Found): string {
  const [first = "", ...more] = cells.filter((cell) => cell !== "");
  return `  ${first}\n${more.map((cell) => `    ${cell}\n`).join("")}`;
}
