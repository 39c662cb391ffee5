/** Bodies and responses that are one object or a list of such objects: `anyOf` of a schema and a list of it. */
import type { Files } from "./files.ts";
import { isPlain, listOf, member, numberOf } from "./values.ts";

export interface OneOrList {
  /** The schema of the object. */
  readonly one: unknown;
  /** The number of objects in a list, as a rule: `items 1..100`. */
  readonly items: string | undefined;
}

/** Undefined for any other schema. */
export function oneOrListIn(files: Files, schema: unknown): OneOrList | undefined {
  const node = files.follow(schema);
  const alternatives = listOf(member(node, "anyOf") ?? member(node, "oneOf"));
  if (alternatives.length !== 2 || member(node, "properties") !== undefined) return undefined;
  const [first, second] = alternatives.map((written) => ({ written, node: files.follow(written) }));
  for (const [single, list] of [
    [first, second],
    [second, first],
  ]) {
    const items = member(list?.node, "items");
    if (single === undefined || member(list?.node, "type") !== "array" || !isPlain(items)) continue;
    if (!isPlain(single.node) || files.follow(items) !== single.node) continue;
    return { one: single.written, items: itemsRule(list?.node) };
  }
  return undefined;
}

function itemsRule(list: unknown): string | undefined {
  const [least, most] = [numberOf(member(list, "minItems")), numberOf(member(list, "maxItems"))];
  const isCount = (count: number | undefined) =>
    count === undefined || (Number.isSafeInteger(count) && count >= 0);
  if ((least === undefined && most === undefined) || !isCount(least) || !isCount(most)) return undefined;
  return `items ${least ?? ""}..${most ?? ""}`;
}
