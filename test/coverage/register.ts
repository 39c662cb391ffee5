/**
 * The register of the notation: every item, column, phrase, rule and function of
 * `docs/notation.md`, each under a short name. Phrases in tables are read from the tables; phrases
 * in prose are listed in `phrases/` with the words of the reference, which must exist. The
 * documents of this folder say which scenario proves which of them (`proofs.ts`).
 */
import { rowsUnder } from "../repository/pages.ts";
import { textOf } from "../repository/repository.ts";
import { endpointsToVersioning } from "./phrases/endpoints-to-versioning.ts";
import { meaning } from "./phrases/meaning.ts";
import { purposeToStates } from "./phrases/purpose-to-states.ts";

export interface Phrases {
  /** The tables of the reference by header row, with the kind of their rows: `rule`. */
  readonly tables: Readonly<Record<string, string>>;
  /**
   * The rows of a table of names that have members. `page` has `items`, `total` …, which become
   * `name: page.items` …
   */
  readonly parents?: readonly string[];
  /** Phrases in prose: the name, and the words of the reference. */
  readonly prose: Readonly<Record<string, string>>;
  /**
   * Phrases without a scenario. Empty when all are proved; a proved phrase may not be listed here.
   */
  readonly unproved: readonly string[];
}

const page = "docs/notation.md";

export const registers: Readonly<Record<string, Phrases>> = {
  "parts 1 to 3": purposeToStates,
  "parts 4 to 9": endpointsToVersioning,
  meaning,
};

/** Tables with explanations, which have no syntax of documents. */
const explaining = new Set([
  "| Part | Items |",
  "| Gap | The running service |",
  "| In the document | In the module |",
  "| Change | In the step |",
]);

/** The names of all phrases of a register. */
export function phrasesOf({ tables, prose, parents = [] }: Phrases): readonly string[] {
  const listed = Object.entries(tables).flatMap(([headings, kind]) =>
    rowsUnder(page, headings).flatMap(([cell, list = ""]) => {
      const words = wordsOf(cell as string);
      const children = words
        .filter((word) => parents.includes(word))
        .flatMap((word) => childrenOf(word, list));
      return [...words, ...children].map((name) => `${kind}: ${name}`);
    }),
  );
  return [...new Set([...listed, ...Object.keys(prose)])];
}

function childrenOf(parent: string, list: string): readonly string[] {
  return wordsOf(list).map((words) => `${parent}.${words}`);
}

/**
 * The phrases of a cell: `` ``- Visible: `this.a == b` `` `` → `Visible: this.a == b`. Every code
 * is a phrase; a cell without codes is one.
 */
function wordsOf(cell: string): readonly string[] {
  const codes = [...cell.matchAll(/(`+)(.+?)\1(?!`)/g)].map((hit) => plain(hit[2] as string));
  return codes.length > 0 ? codes : [plain(cell)];
}

function plain(code: string): string {
  return code
    .replaceAll("`", "")
    .replaceAll("\\|", "|")
    .trim()
    .replace(/^(?:- |, )/, "");
}

/** Header rows of the reference's tables that no register covers. */
export function unknownTables(): readonly string[] {
  const known = new Set(Object.values(registers).flatMap(({ tables }) => Object.keys(tables)));
  return tablesOfTheReference().filter((headings) => !known.has(headings) && !explaining.has(headings));
}

function tablesOfTheReference(): readonly string[] {
  const found: string[] = [];
  let fence: string | undefined;
  let before = "";
  for (const line of textOf(page).split("\n")) {
    const mark = /^`{3,}/.exec(line)?.[0];
    if (fence === undefined) fence = mark;
    else if (line.trimEnd() === fence) fence = undefined;
    if (fence === undefined && line.startsWith("|") && !before.startsWith("|")) found.push(line);
    before = line;
  }
  return found;
}

/** Names of prose phrases whose words are missing in the reference. */
export function strayProse({ prose }: Phrases): readonly string[] {
  const reference = oneLine(textOf(page));
  return Object.entries(prose).flatMap(([name, words]) => (reference.includes(oneLine(words)) ? [] : [name]));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
