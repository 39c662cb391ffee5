/**
 * Reads the three forms: items by key, cells by column, `none` and `not shown`. All parts share it.
 */
import { type Phrase, slice, trim, unquote } from "../source/phrase.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import type { Block, ItemNode, RowNode, TableNode } from "./nodes.ts";

export function itemsOf(blocks: readonly Block[]): ItemNode[] {
  return blocks.filter((block) => block.kind === "item");
}

export function tablesOf(blocks: readonly Block[]): TableNode[] {
  return blocks.filter((block) => block.kind === "table");
}

/** Keys and headings are compared in lower case, with single blanks. */
export const keyText = memoizeBy((phrase: Phrase) => phrase.text.trim().replace(/\s+/g, " ").toLowerCase());

/** The prose of a section. Paragraphs are separated by an empty line. */
export function proseOf(blocks: readonly Block[]): string {
  return blocks
    .filter((block) => block.kind === "prose")
    .map((block) => block.text.text.trim())
    .join("\n\n");
}

/** The cell in the column of that name (any case). Undefined if the table has no such column. */
export function cellOf(table: TableNode, row: RowNode, column: string): Phrase | undefined {
  const at = table.columns.findIndex((heading) => keyText(heading) === column.toLowerCase());
  return at === -1 ? undefined : row.cells[at];
}

export function isEmpty(phrase: Phrase | undefined): boolean {
  return phrase === undefined || phrase.text.trim() === "";
}

export function isNone(phrase: Phrase): boolean {
  return /^\s*none\s*$/i.test(phrase.text);
}

/** `not shown` and nothing else. `TBD`, `TODO`, `unknown` and `?` are gaps, too (`isLooseGap`). */
export function isNotShown(phrase: Phrase): boolean {
  return /^\s*not\s+shown\s*$/i.test(phrase.text) || isLooseGap(phrase);
}

/**
 * A gap in other words: the note suggests `not shown`. In lower case it is a name: many tasks have
 * the state `todo`.
 */
export function isLooseGap(phrase: Phrase): boolean {
  return /^(TBD|TODO|[Uu]nknown|\?+)$/.test(phrase.text.trim());
}

/** `maximum not shown` → true: the text ends in `not shown`. */
export function endsNotShown(phrase: Phrase): boolean {
  return /(^|\s)not\s+shown\s*$/i.test(phrase.text);
}

/** Whether the words `not shown` occur outside of texts: `a, not shown`, `x = not shown`. */
export function hasNotShown(phrase: Phrase): boolean {
  if (!/shown/i.test(phrase.text)) return isLooseGap(phrase);
  const text = phrase.text.replace(/"[^"]*"|'[^']*'/g, '""').replaceAll("`", " ");
  return isNotShown(phrase) || /(?<![^\s,;(=:])not\s+shown(?![^\s,;)])/i.test(text);
}

/** A name, with or without backticks. */
export function nameOf(phrase: Phrase): Phrase {
  return unquote(phrase);
}

/** The text after a leading word (in any case): `after 14 days` with `after` → `14 days`. Undefined without that word. */
export function afterWord(phrase: Phrase, word: string): Phrase | undefined {
  const trimmed = trim(phrase);
  if (trimmed.text.slice(0, word.length).toLowerCase() !== word.toLowerCase()) return undefined;
  const next = trimmed.text[word.length];
  if (next !== undefined && !/\s/.test(next)) return undefined;
  return trim(slice(trimmed, word.length));
}
