/**
 * Whether one condition implies another: whenever the first is true, the second is. Decided from the words alone, so a `false` means only that
 * the implication is not known. Conjunctions, disjunctions, negations, comparisons with literals and `in` with lists of literals are understood;
 * everything else has to be the same in both.
 */
import type { Json } from "../support/json.ts";
import { asComparison, type Comparison, plainly, wordsOf } from "./excludes.ts";
import type { Node } from "./node.ts";

/** How a condition changed: `stricter` is true in fewer cases than before, `looser` in more, `other` where neither is known. */
export type ConditionChange = "same" | "stricter" | "looser" | "other";

/** @param before and @param after are conditions over the same names */
export function conditionChange(before: Node, after: Node): ConditionChange {
  const [narrows, widens] = [implies(after, before), implies(before, after)];
  if (narrows && widens) return "same";
  if (narrows) return "stricter";
  return widens ? "looser" : "other";
}

/** Whenever `one` is true, `other` is. */
export function implies(one: Node, other: Node): boolean {
  return imply(plainly(one), plainly(other));
}

function imply(one: Node, other: Node): boolean {
  if (isLiteral(one, false) || isLiteral(other, true) || wordsOf(one) === wordsOf(other)) return true;
  if (one.op === "or") return imply(one.left, other) && imply(one.right, other);
  if (other.op === "and") return imply(one, other.left) && imply(one, other.right);
  if (one.op === "and" && (imply(one.left, other) || imply(one.right, other))) return true;
  if (other.op === "or") return imply(one, other.left) || imply(one, other.right);
  // What is null counts as false, so that a negation turns the implication around.
  if (one.op === "not" && other.op === "not") return imply(other.of, one.of);
  return impliesByValues(one, other);
}

function isLiteral(node: Node, value: Json): boolean {
  return node.op === "literal" && node.value === value;
}

function impliesByValues(one: Node, other: Node): boolean {
  const [a, b] = [asComparison(one), asComparison(other)];
  const subject = a ? a.left : membership(one)?.of;
  const otherSubject = b ? b.left : membership(other)?.of;
  if (!subject || !otherSubject || wordsOf(subject) !== wordsOf(otherSubject)) return false;
  const values = among(one, a);
  if (values) return values.every((value) => holds(value, other, b));
  return a !== undefined && b !== undefined && impliesRange(a, b);
}

/** `x in ["a", "b"]`, taken apart; undefined where the list is not one of literals. */
function membership(node: Node): { readonly of: Node; readonly values: readonly Json[] } | undefined {
  if (node.op !== "binary" || node.operator !== "in" || node.right.op !== "list") return undefined;
  const values = node.right.items.flatMap((item) => (item.op === "literal" ? [item.value] : []));
  return values.length === node.right.items.length ? { of: node.left, values } : undefined;
}

/** The only values with which the condition is true; undefined where they are not known. */
function among(node: Node, comparison: Comparison | undefined): readonly Json[] | undefined {
  if (comparison?.operator === "==" && comparison.right.op === "literal") return [comparison.right.value];
  return membership(node)?.values;
}

/** Whether the condition is true where what it compares is this value. */
function holds(value: Json, node: Node, comparison: Comparison | undefined): boolean {
  const listed = membership(node);
  if (listed) return listed.values.includes(value);
  if (comparison?.right.op !== "literal") return false;
  const bound = comparison.right.value;
  switch (comparison.operator) {
    case "==":
      return value === bound;
    case "!=":
      return value !== bound && !differOnlyInCase(value, bound);
    default:
      return typeof value === "number" && typeof bound === "number" && compares(comparison, value, bound);
  }
}

/** Texts that are compared past case may be equal to both. */
function differOnlyInCase(a: Json, b: Json): boolean {
  return typeof a === "string" && typeof b === "string" && a.toLowerCase() === b.toLowerCase();
}

function compares({ operator }: Comparison, value: number, bound: number): boolean {
  if (operator === "<") return value < bound;
  if (operator === "<=") return value <= bound;
  return operator === ">" ? value > bound : value >= bound;
}

/** `x > 20` implies `x > 10`, `x >= 20`, `x != 3` and `x != null`. */
function impliesRange(one: Comparison, other: Comparison): boolean {
  if (one.right.op !== "literal" || other.right.op !== "literal") return false;
  const [from, to] = [one.right.value, other.right.value];
  const isOrder = ["<", "<=", ">", ">="].includes(one.operator);
  if (!isOrder) return false;
  if (other.operator === "!=" && to === null) return true;
  if (typeof from !== "number" || typeof to !== "number") return false;
  const isUpwards = one.operator.startsWith(">");
  if (other.operator === "!=") return !compares(one, to, from);
  if (!["<", "<=", ">", ">="].includes(other.operator) || other.operator.startsWith(">") !== isUpwards)
    return false;
  if (from === to) return one.operator === other.operator || other.operator.endsWith("=");
  return isUpwards ? from > to : from < to;
}
