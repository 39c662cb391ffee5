/** The items of a stored change as written: both sides, before their names are resolved. */
import { type Phrase, slice, splitOutside, trim, unquote } from "../../../../source/phrase.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { keyText } from "../../../../syntax/read.ts";
import { parsePath, type StoredPath } from "../../../stored/path.ts";
import { splitAtWord } from "../../any-part/when-clause.ts";

/** A name such as `User`, `User.name`, `Ticket.priority "normal"`. */
export interface StoredName {
  readonly phrase: Phrase;
  readonly resource: Phrase;
  readonly path?: StoredPath;
  /** The path after the resource's dot. */
  readonly member?: Phrase;
  readonly value?: Phrase;
}

export const renamedForms =
  '`User.name to User.full_name`, `Person to User` or `Ticket.priority "normal" to "medium"`';
export const removedForms = "`User.name, User.age`, or `Draft`";
export const forEachForms = '`full_name = old.first + " " + old.last`';

function readStoredName(phrase: Phrase): StoredName | undefined {
  const bare = unquote(phrase);
  const match = /^(\w+)(?:\.([\w.[\]]+))?(?:\s*("[^"]*"))?$/.exec(bare.text);
  if (!match) return undefined;
  const [, resource = "", member, quoted] = match;
  const name = { phrase: bare, resource: slice(bare, 0, resource.length) };
  if (member === undefined) return quoted === undefined ? name : undefined;
  const path = parsePath(member);
  if (!path) return undefined;
  const from = resource.length + 1;
  const of = { ...name, path, member: slice(bare, from, from + member.length) };
  return quoted === undefined ? of : { ...of, value: textWithin(bare, bare.text.length - quoted.length) };
}

/** Reads `… to …`. A text after it is another value of the same field. */
export function readStoredRename(value: Phrase): readonly [StoredName, StoredName] | undefined {
  const parted = splitAtWord(unquote(value), "to");
  const from = parted && readStoredName(parted[0]);
  if (!parted || !from) return undefined;
  const right = unquote(parted[1]);
  if (from.value)
    return /^"[^"]*"$/.test(right.text) ? [from, { ...from, value: textWithin(right, 0) }] : undefined;
  const to = readStoredName(right);
  return to && !to.value && (to.path === undefined) === (from.path === undefined) ? [from, to] : undefined;
}

function textWithin(phrase: Phrase, from: number): Phrase {
  return slice(phrase, from + 1, phrase.text.length - 1);
}

/** Reads `User.first, User.last`. Undefined if one can't be read. */
export function readStoredRemovals(value: Phrase): readonly StoredName[] | undefined {
  const names = splitOutside(unquote(value), ",").map(readStoredName);
  const read = names.filter((name): name is StoredName => name !== undefined && name.value === undefined);
  return read.length === names.length && read.length > 0 ? read : undefined;
}

/** The name after `For each` in the key of an item. */
export function forEachOf({ key }: ItemNode): Phrase | undefined {
  const bare = trim(key);
  const words = /^for\s+each\s+/i.exec(bare.text);
  return words ? unquote(slice(bare, words[0].length)) : undefined;
}

/** The name in `### Stored change: NAME`, empty if it is missing. Undefined for other headings. */
export function storedHeading(heading: Phrase): Phrase | undefined {
  const bare = trim(heading);
  const words = /^stored\s+change\b\s*:?/i.exec(bare.text);
  return words ? unquote(slice(bare, words[0].length)) : undefined;
}

const spaces = /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*|\s+|`/g;

/** The text without blanks and backticks that have no meaning. */
export function normalizedText(text: string): string {
  return text.replace(spaces, (all, quoted: string | undefined, at: number) => {
    if (quoted !== undefined) return quoted;
    return all !== "`" && /\w/.test(text[at - 1] ?? "") && /\w/.test(text[at + all.length] ?? "") ? " " : "";
  });
}

/** The items of a step, independent of layout. The order of items has no meaning; the order of a resource's effects has. */
export function stepText(items: readonly ItemNode[]): string {
  const stated = new Map<string, string[]>();
  for (const item of items) {
    const key = keyText(item.key);
    const parts = splitOutside(unquote(item.value), key === "removed" ? "," : ";").map(({ text }) =>
      normalizedText(text),
    );
    const name = forEachOf(item) ? `for each ${forEachOf(item)?.text}` : key;
    stated.set(name, [...(stated.get(name) ?? []), ...parts]);
  }
  const lines = [...stated].flatMap(([key, parts]) =>
    key.startsWith("for each ") ? [`${key}: ${parts.join(";")}`] : parts.map((part) => `${key}: ${part}`),
  );
  return lines.sort().join("\n");
}
