/**
 * Implication of conditions: whether the second is true whenever the first is. It is decided from
 * the expressions alone, so `false` means "unknown". It understands conjunctions, disjunctions,
 * negations, comparisons with literals, and `in` with lists of literals. Everything else must be
 * equal in both.
 */
import type { Json } from "../../support/json.ts";
import { asComparison, type Comparison, pushNegationsDown, textWithoutVariables } from "./exclusion.ts";
import type { Node } from "../node.ts";

/** How a condition changed: `stricter` holds in fewer cases, `looser` in more, `other` if neither is certain. */
export type ConditionChange = "same" | "stricter" | "looser" | "other";

/**
 * @param before the former condition
 * @param after the new condition, over the same names
 */
export function conditionChange(before: Node, after: Node): ConditionChange {
  const [narrows, widens] = [implies(after, before), implies(before, after)];
  if (narrows && widens) return "same";
  if (narrows) return "stricter";
  return widens ? "looser" : "other";
}

/** Whether the right condition holds whenever the left one does. */
export function implies(left: Node, right: Node): boolean {
  return imply(pushNegationsDown(left), pushNegationsDown(right));
}

function imply(left: Node, right: Node): boolean {
  if (
    isLiteral(left, false) ||
    isLiteral(right, true) ||
    textWithoutVariables(left) === textWithoutVariables(right)
  )
    return true;
  if (left.op === "or") return imply(left.left, right) && imply(left.right, right);
  if (right.op === "and") return imply(left, right.left) && imply(left, right.right);
  if (left.op === "and" && (imply(left.left, right) || imply(left.right, right))) return true;
  if (right.op === "or") return imply(left, right.left) || imply(left, right.right);
  // A null counts as false, so that a negation reverses the implication.
  if (left.op === "not" && right.op === "not") return imply(right.of, left.of);
  return impliesByValues(left, right);
}

function isLiteral(node: Node, value: Json): boolean {
  return node.op === "literal" && node.value === value;
}

function impliesByValues(left: Node, right: Node): boolean {
  const [a, b] = [asComparison(left), asComparison(right)];
  const subject = a ? a.left : membership(left)?.of;
  const otherSubject = b ? b.left : membership(right)?.of;
  if (!subject || !otherSubject || textWithoutVariables(subject) !== textWithoutVariables(otherSubject))
    return false;
  const values = among(left, a);
  if (values) return values.every((value) => holds(value, right, b));
  return a !== undefined && b !== undefined && impliesRange(a, b);
}

/**
 * `x in ["a", "b"]`, split into its alternatives. Undefined if the list has other than literals.
 */
function membership(node: Node): { readonly of: Node; readonly values: readonly Json[] } | undefined {
  if (node.op !== "binary" || node.operator !== "in" || node.right.op !== "list") return undefined;
  const values = node.right.items.flatMap((item) => (item.op === "literal" ? [item.value] : []));
  return values.length === node.right.items.length ? { of: node.left, values } : undefined;
}

/** The values with which the condition can hold. Undefined if they are unknown. */
function among(node: Node, comparison: Comparison | undefined): readonly Json[] | undefined {
  if (comparison?.operator === "==" && comparison.right.op === "literal") return [comparison.right.value];
  return membership(node)?.values;
}

/** Whether the condition holds if its operand has this value. */
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

/** Whether two texts are equal without case, so that both comparisons may hold. */
function differOnlyInCase(a: Json, b: Json): boolean {
  return typeof a === "string" && typeof b === "string" && a.toLowerCase() === b.toLowerCase();
}

function compares({ operator }: Comparison, value: number, bound: number): boolean {
  if (operator === "<") return value < bound;
  if (operator === "<=") return value <= bound;
  return operator === ">" ? value > bound : value >= bound;
}

/** `x > 20` implies `x > 10`, `x >= 20`, `x != 3` and `x != null`. */
function impliesRange(left: Comparison, right: Comparison): boolean {
  if (left.right.op !== "literal" || right.right.op !== "literal") return false;
  const [from, to] = [left.right.value, right.right.value];
  const isOrder = ["<", "<=", ">", ">="].includes(left.operator);
  if (!isOrder) return false;
  if (right.operator === "!=" && to === null) return true;
  if (typeof from !== "number" || typeof to !== "number") return false;
  const isUpwards = left.operator.startsWith(">");
  if (right.operator === "!=") return !compares(left, to, from);
  if (!["<", "<=", ">", ">="].includes(right.operator) || right.operator.startsWith(">") !== isUpwards)
    return false;
  if (from === to) return left.operator === right.operator || right.operator.endsWith("=");
  return isUpwards ? from > to : from < to;
}
