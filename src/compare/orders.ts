/**
 * Compares the orders of a list. A word that chooses an order, in `any of … by query.sort` or in
 * `when query.sort == "…"`, counts as a value of its input: it may be removed, added or renamed.
 */
import type { Node } from "../expressions/node.ts";
import type { Endpoint, OrderItem } from "../model/model.ts";
import { type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { sameMeaning } from "./meaning.ts";

/** A word that chooses an order, and the input that has it, as `query.sort`. */
interface Word {
  readonly input: string;
  readonly word: string;
  /** The order of a request with the word. */
  readonly order: unknown;
}

export function compareOrder(was: Endpoint, now: Endpoint, piece: Piece, differences: Differences): void {
  if (sameMeaning(was.order, now.order)) return;
  const [old, current] = [chosenOrders(was.order), chosenOrders(now.order)];
  const kept = old && current && old.words.filter((word) => find(current.words, word) !== undefined);
  if (
    !kept ||
    !sameMeaning(old.otherwise, current.otherwise) ||
    kept.some((word) => !sameMeaning(word.order, find(current.words, word)?.order))
  ) {
    report(differences, piece, "order-changed", "returns records in another order", now.order[0]?.position);
    return;
  }
  const removed = old.words.filter((word) => !find(current.words, word) && !isEnumerated(was, word));
  const added = current.words.filter((word) => !find(old.words, word) && !isEnumerated(now, word));
  const renamed = new Set<Word>();
  for (const word of removed) {
    const other = added.find(
      (candidate) => !renamed.has(candidate) && sameMeaning(candidate.order, word.order),
    );
    if (other) renamed.add(other);
    const what = other
      ? `takes \`${other.word}\` instead of \`${word.word}\` as \`${word.input}\` now`
      : `no longer takes \`${word.word}\` as \`${word.input}\``;
    report(differences, piece, "input-narrowed", what, now.order[0]?.position);
  }
  for (const word of added.filter((candidate) => !renamed.has(candidate)))
    report(
      differences,
      piece,
      "input-widened",
      `also takes \`${word.word}\` as \`${word.input}\` now`,
      now.order[0]?.position,
    );
}

function find(words: readonly Word[], { input, word }: Word): Word | undefined {
  return words.find((candidate) => candidate.input === input && candidate.word === word);
}

/**
 * The words of an order, and what applies without one; undefined if other conditions decide, so
 * that the items depend on each other.
 */
function chosenOrders(
  order: readonly OrderItem[],
): { readonly words: readonly Word[]; readonly otherwise: readonly unknown[] } | undefined {
  const words: Word[] = [];
  const otherwise: unknown[] = [];
  for (const { keys, choice, when } of order) {
    if (choice) {
      if (when) return undefined;
      for (const { name, by } of choice.of) words.push({ input: choice.text.text, word: name, order: by });
      otherwise.push({ keys, text: choice.text });
    } else if (when) {
      const chosen = wordIn(when.node);
      if (!chosen) return undefined;
      words.push({ ...chosen, order: keys });
    } else otherwise.push({ keys });
  }
  const isOneInput = new Set(words.map(({ input }) => input)).size <= 1;
  return isOneInput ? { words, otherwise } : undefined;
}

/** The word and the input of `query.sort == "newest"`. */
function wordIn(node: Node): Pick<Word, "input" | "word"> | undefined {
  if (node.op !== "binary" || node.operator !== "==") return undefined;
  const { left, right } = node;
  if (left.op !== "field" || left.of.op !== "fixed" || right.op !== "literal") return undefined;
  return typeof right.value === "string"
    ? { input: `${left.of.name}.${left.name}`, word: right.value }
    : undefined;
}

/** Whether the input's type lists the word, so that the comparison of inputs reports it. */
function isEnumerated({ inputs }: Endpoint, { input, word }: Word): boolean {
  return inputs.some(
    ({ in: place, name, type }) =>
      `${place}.${name.join(".")}` === input && type.kind === "enum" && type.values.includes(word),
  );
}
