/**
 * Macros over lists in memory: `.filter`, `.sum`, `.sort` … with the null rules of decision "Nulls
 * in orders and sums".
 */
import { isAnyCase } from "../any-case.ts";
import { countSteps } from "../cost.ts";
import { addDecimals, compareDecimals } from "../decimal.ts";
import type { MacroName, Node } from "../node.ts";
import { asDecimal, sameValue } from "../order.ts";
import { isOpen } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import type { Type } from "../type.ts";
import type { Frame, Value } from "../value.ts";
import type { Evaluate } from "./context.ts";
import { canonicalReader } from "./canonical.ts";
import { comparerOf, foldCase } from "./operators.ts";

type Macro = Extract<Node, { op: "macro" }>;
type Items = readonly Value[];

/**
 * Result of a macro for its elements. `evaluateItem` gives the body's value for one, or the element
 * itself without a body.
 */
type Work = (items: Items, evaluateItem: (item: Value) => Value) => Value;

export function compileMacro(
  node: Macro,
  of: Evaluate,
  body: Evaluate | undefined,
  words: Vocabulary,
): Evaluate {
  const work = workOf(node, words);
  const { depth } = node;
  return (frame) => {
    const items = itemsOf(of(frame));
    if (items === null) return null;
    countSteps(items.length + 1);
    return work(items, body && depth !== undefined ? itemEvaluator(frame, depth, body) : itself);
  };
}

function itemEvaluator(frame: Frame, depth: number, body: Evaluate): (item: Value) => Value {
  return (item) => {
    frame.locals[depth] = item;
    return body(frame);
  };
}

const itself = (item: Value) => item;

/** The elements of a list, or the keys of a map, as in CEL. Null for any other value. */
function itemsOf(value: Value): Items | null {
  if (Array.isArray(value)) return value as Items;
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return null;
  return Object.keys(value);
}

function workOf(node: Macro, words: Vocabulary): Work {
  const itemBody: Node | undefined = node.body;
  const fold = itemBody ? isAnyCase(itemBody, words) : node.anyCase === true;
  const type = itemBody?.type ?? elementType(node.of.type);
  switch (node.macro) {
    case "sum":
      return sumOf(node.type, type);
    case "sort":
      return sorted(comparing(type, fold));
    case "min":
      return extreme(comparing(type, fold), (order) => order < 0);
    case "max":
      return extreme(comparing(type, fold), (order) => order > 0);
    case "distinct":
      return distinct(elementType(node.type), fold, words);
    default:
      return simpleWorks[node.macro];
  }
}

function elementType(type: Type): Type {
  if (type.kind === "list") return type.of;
  return type.kind === "collection" ? { kind: "record", resource: type.resource } : { kind: "any" };
}

const simpleWorks: Readonly<Record<Exclude<MacroName, "sum" | "sort" | "min" | "max" | "distinct">, Work>> = {
  filter: (items, evaluateItem) => items.filter((item) => evaluateItem(item) === true),
  map: (items, evaluateItem) => items.map(evaluateItem),
  // Without a condition, `itself` would test whether the element is true.
  first: (items, evaluateItem) =>
    (evaluateItem === itself ? items[0] : items.find((item) => evaluateItem(item) === true)) ?? null,
  last: (items, evaluateItem) =>
    (evaluateItem === itself ? items.at(-1) : items.findLast((item) => evaluateItem(item) === true)) ?? null,
  exists: (items, evaluateItem) =>
    evaluateItem === itself ? items.length > 0 : items.some((item) => evaluateItem(item) === true),
  exists_one: (items, evaluateItem) => countOf(items, evaluateItem) === 1,
  all: (items, evaluateItem) => items.every((item) => evaluateItem(item) === true),
  count: (items, evaluateItem) => (evaluateItem === itself ? items.length : countOf(items, evaluateItem)),
  flatten: (items) => {
    const flat = items.flatMap((item) =>
      Array.isArray(item) ? (item as Items) : item === null ? [] : [item],
    );
    countSteps(flat.length);
    return flat;
  },
};

function countOf(items: Items, evaluateItem: (item: Value) => Value): number {
  let count = 0;
  for (const item of items) if (evaluateItem(item) === true) count += 1;
  return count;
}

// ── Sums ────────────────────────────────────────────────────────────────────────────────────────

/** Nulls are omitted, and an empty sum is 0 (decision "Nulls in orders and sums"). */
function sumOf(result: Type, of: Type): Work {
  if (result.kind === "decimal") return decimalSum;
  const whole = result.kind === "integer" || result.kind === "duration";
  return (items, evaluateItem) => {
    let sum = 0;
    let exact = 0n;
    let integers = true;
    for (const item of items) {
      const value = evaluateItem(item);
      if (value === null) continue;
      if (typeof value !== "number") return null;
      sum += value;
      integers = integers && Number.isSafeInteger(value);
      // The exact sum is computed as well, so that an overflow of an intermediate sum doesn't
      // matter if the total fits.
      if (integers) exact += BigInt(value);
    }
    if (integers && (whole || isOpen(of))) return safe(exact);
    return Number.isFinite(sum) ? sum + 0 : null;
  };
}

function safe(exact: bigint): Value {
  const value = Number(exact);
  return Number.isSafeInteger(value) ? value : null;
}

const decimalSum: Work = (items, evaluateItem) => {
  let sum = "0";
  for (const item of items) {
    const value = evaluateItem(item);
    if (value === null) continue;
    const decimal = asDecimal(value);
    const next = decimal === null ? null : addDecimals(sum, decimal);
    if (next === null) return null;
    sum = next;
  }
  return sum;
};

// ── Order ───────────────────────────────────────────────────────────────────────────────────────

type Compare = (a: Value, b: Value) => number;

/** Values of an open type that can't be ordered count as equal. */
function comparing(type: Type, fold: boolean): Compare {
  const compare =
    type.kind === "decimal"
      ? (a: Value, b: Value) => compareDecimals(a as string, b as string)
      : comparerOf(type, type);
  if (!fold) return (a, b) => compare(a, b) ?? 0;
  return (a, b) => compare(foldCase(a), foldCase(b)) ?? 0;
}

/** Ascending: nulls come last, and equal elements keep their order. */
function sorted(compare: Compare): Work {
  return (items, evaluateItem) => {
    const keyed = items.map((item) => ({ item, key: evaluateItem(item) }));
    keyed.sort((a, b) => {
      if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
      return compare(a.key, b.key);
    });
    return keyed.map(({ item }) => item);
  };
}

function extreme(compare: Compare, wins: (order: number) => boolean): Work {
  return (items, evaluateItem) => {
    let best: Value = null;
    for (const item of items) {
      const value = evaluateItem(item);
      if (value !== null && (best === null || wins(compare(value, best)))) best = value;
    }
    return best;
  };
}

// ── Distinct ────────────────────────────────────────────────────────────────────────────────────

/** The first of equal elements. Records are equal if their identifiers are, decimals if their values are. */
function distinct(element: Type, fold: boolean, words: Vocabulary): Work {
  const canonical = canonicalReader(element, words) ?? itself;
  const read = fold ? (item: Value) => foldCase(canonical(item)) : canonical;
  return (items) => {
    const seen = new Set<Value>();
    const structures: Value[] = [];
    return items.filter((item) => {
      const key = read(item);
      if (key === null || typeof key !== "object") return !seen.has(key) && seen.add(key) !== undefined;
      countSteps(structures.length);
      if (structures.some((earlier) => sameValue(earlier, key))) return false;
      structures.push(key);
      return true;
    });
  };
}
