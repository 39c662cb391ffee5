/**
 * Mutual exclusion of conditions: whether two can't both hold. It is decided from the expressions
 * alone, so `false` means "unknown". It recognises a condition and its negation, comparisons of the
 * same operands, and comparisons of one operand with numbers, texts and null.
 */
import type { Json } from "../../support/json.ts";
import type { BinaryOperator, Node } from "../node.ts";
import { isText, types } from "../type.ts";

export type Comparison = Extract<Node, { readonly op: "binary" }>;

/** Possible orders of two values; `apart` if one of them is null or they have no order. */
type Ordering = "less" | "equal" | "more" | "apart";

const orderings: Partial<Record<BinaryOperator, readonly Ordering[]>> = {
  "==": ["equal"],
  "!=": ["less", "more", "apart"],
  "<": ["less"],
  "<=": ["less", "equal"],
  ">": ["more"],
  ">=": ["more", "equal"],
};

const mirrored: Partial<Record<BinaryOperator, BinaryOperator>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Whether two conditions over the same names can't both hold. */
export function excludes(left: Node, right: Node): boolean {
  return exclude(pushNegationsDown(left), pushNegationsDown(right));
}

function exclude(left: Node, right: Node): boolean {
  if (left.op === "or") return exclude(left.left, right) && exclude(left.right, right);
  if (right.op === "or") return exclude(left, right.left) && exclude(left, right.right);
  if (left.op === "and") return exclude(left.left, right) || exclude(left.right, right);
  if (right.op === "and") return exclude(left, right.left) || exclude(left, right.right);
  if (left.op === "not" || right.op === "not") return denies(left, right) || denies(right, left);
  const [a, b] = [asComparison(left), asComparison(right)];
  return a !== undefined && b !== undefined && areComparisonsDisjoint(a, b);
}

function denies(left: Node, right: Node): boolean {
  return left.op === "not" && textWithoutVariables(left.of) === textWithoutVariables(right);
}

/** Moves `!` inwards as far as the meaning stays the same: null counts as false, and `!=` is the opposite of `==`. */
export function pushNegationsDown(node: Node): Node {
  if (node.op === "and" || node.op === "or")
    return { ...node, left: pushNegationsDown(node.left), right: pushNegationsDown(node.right) };
  if (node.op !== "not") return node;
  const { of } = node;
  if (of.op === "not") return pushNegationsDown(of.of);
  if (of.op === "and" || of.op === "or") {
    const [left, right] = [denied(of.left), denied(of.right)];
    return { op: of.op === "and" ? "or" : "and", left, right, type: types.boolean };
  }
  if (of.op === "binary" && of.operator === "==") return { ...of, operator: "!=" };
  if (of.op === "binary" && of.operator === "!=") return { ...of, operator: "==" };
  return node;
}

function denied(of: Node): Node {
  return pushNegationsDown({ op: "not", of, type: types.boolean });
}

/** The comparison with the literal on the right, if one side is a literal. */
export function asComparison(node: Node): Comparison | undefined {
  if (node.op !== "binary" || orderings[node.operator] === undefined) return undefined;
  if (node.left.op !== "literal") return node;
  return { ...node, operator: mirrored[node.operator] ?? node.operator, left: node.right, right: node.left };
}

function areComparisonsDisjoint(first: Comparison, second: Comparison): boolean {
  const [left, right] = [textWithoutVariables(first.left), textWithoutVariables(first.right)];
  const [otherLeft, otherRight] = [textWithoutVariables(second.left), textWithoutVariables(second.right)];
  if (left === otherLeft && right === otherRight)
    return areOperatorsDisjoint(first.operator, second.operator);
  if (left === otherRight && right === otherLeft)
    return areOperatorsDisjoint(first.operator, mirrored[second.operator] ?? second.operator);
  if (left !== otherLeft || first.right.op !== "literal" || second.right.op !== "literal") return false;
  return areValuesDisjoint(first, first.right.value, second, second.right.value);
}

function areOperatorsDisjoint(left: BinaryOperator, right: BinaryOperator): boolean {
  return !(orderings[left] ?? []).some((ordering) => orderings[right]?.includes(ordering));
}

/** Whether comparisons of one operand with two values can't both hold. */
function areValuesDisjoint(first: Comparison, value: Json, second: Comparison, otherValue: Json): boolean {
  if (value === null || otherValue === null) {
    const [withNull, against] = value === null ? [first, second] : [second, first];
    // An operand that is equal to, less or greater than a value is not null.
    return withNull.operator === "==" && against.operator !== "!=";
  }
  if (typeof value === "string" && typeof otherValue === "string") {
    const areEqual = first.operator === "==" && second.operator === "==";
    // Without case, a text may be equal to both.
    return areEqual && isText(first.left.type) && value.toLowerCase() !== otherValue.toLowerCase();
  }
  if (typeof value !== "number" || typeof otherValue !== "number") return false;
  return areRangesDisjoint(first.operator, value, second.operator, otherValue);
}

function areRangesDisjoint(
  first: BinaryOperator,
  value: number,
  second: BinaryOperator,
  otherValue: number,
): boolean {
  // Ranges with a common bound are decided by the order at that bound. Others are disjoint if each
  // lies on its side of the other's bound.
  if (value === otherValue) return areOperatorsDisjoint(first, second);
  const [lower, upper] = value < otherValue ? [first, second] : [second, first];
  return ["==", "<", "<="].includes(lower) && ["==", ">", ">="].includes(upper);
}

/** Whether two expressions are equal except for the names of variables. */
export function isSameText(left: Node, right: Node): boolean {
  return textWithoutVariables(left) === textWithoutVariables(right);
}

/** A text that expressions share if they are equal except for the names of variables. */
export function textWithoutVariables(node: Node): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "type" || key === "variable") return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { name, ...rest } = value as { readonly op?: string; readonly name?: unknown };
    const members = rest.op === "local" || name === undefined ? rest : { ...rest, name };
    return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
