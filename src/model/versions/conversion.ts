/**
 * What an expression over `new` provably keeps of a value: whether it gives different results for
 * different values, and whether it keeps their order.
 */
import type { BinaryOperator, Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Model } from "../model.ts";

export interface Conversion {
  /** Different values have different results. */
  readonly isOneToOne: boolean;
  /** A greater value has no smaller result. */
  readonly keepsOrder: boolean;
}

/** The direction of a conversion: 1 keeps the order, -1 reverses it, 0 is unknown. */
interface Course {
  readonly isOneToOne: boolean;
  readonly direction: 1 | -1 | 0;
}

const same: Course = { isOneToOne: true, direction: 1 };
const unknown: Course = { isOneToOne: false, direction: 0 };
const numbers: ReadonlySet<string> = new Set(["integer", "number", "decimal"]);
const rounding: ReadonlySet<string> = new Set(["int", "round", "floor", "ceil"]);

/** @param old the expression of `Replaced: …, old <expr of new>` */
export function conversionBy(old: Node, model: Model): Conversion {
  const { isOneToOne, direction } = courseOf(old, model);
  return { isOneToOne, keepsOrder: direction === 1 };
}

function courseOf(node: Node, model: Model): Course {
  switch (node.op) {
    case "named":
      return node.name === "new" ? same : unknown;
    case "field":
      return isUnique(node, model) ? { ...courseOf(node.of, model), direction: 0 } : unknown;
    case "negate":
      return reversed(courseOf(node.of, model));
    case "call":
      return courseOfCall(node, model);
    case "binary":
      return courseOfBinary(node, model);
    default:
      return unknown;
  }
}

/** Whether the field of a referenced record has another value in each record. */
function isUnique({ of, name }: Extract<Node, { readonly op: "field" }>, model: Model): boolean {
  const { type } = of;
  if (type.kind !== "record") return false;
  const resource = model.resources.find((resource) => resource.name === type.resource);
  const field = resource?.fields.find((field) => field.name === name);
  return field !== undefined && hasRule(field.rules, "unique");
}

function courseOfCall(
  { function: name, args }: Extract<Node, { readonly op: "call" }>,
  model: Model,
): Course {
  const [value, ...others] = args;
  if (!value || others.length > 0 || !numbers.has(value.type.kind)) return unknown;
  const course = courseOf(value, model);
  if (rounding.has(name)) return value.type.kind === "integer" ? course : { ...course, isOneToOne: false };
  if (name === "string") return { ...course, direction: 0 };
  return name === "decimal" || name === "double" ? course : unknown;
}

function courseOfBinary(node: Extract<Node, { readonly op: "binary" }>, model: Model): Course {
  const { operator, left, right } = node;
  if (readsNew(left) === readsNew(right)) return unknown;
  const [value, other] = readsNew(left) ? [left, right] : [right, left];
  const course = courseOf(value, model);
  if (operator === "+") return withAddend(course, node, value === right);
  if (operator === "-") return value === left ? course : reversed(course);
  const sign = other.op === "literal" && typeof other.value === "number" ? Math.sign(other.value) : 0;
  if (!isScaling(operator, value === left) || sign === 0) return unknown;
  const scaled = sign > 0 ? course : reversed(course);
  return operator === "/" && node.type.kind === "integer" ? { ...scaled, isOneToOne: false } : scaled;
}

/** A text after the value can change the order: "a" before "a!", and "ab" between them. */
function withAddend(course: Course, sum: Node, isBefore: boolean): Course {
  return sum.type.kind === "string" && !isBefore ? { ...course, direction: 0 } : course;
}

function isScaling(operator: BinaryOperator, valueIsLeft: boolean): boolean {
  return operator === "*" || (operator === "/" && valueIsLeft);
}

function reversed({ isOneToOne, direction }: Course): Course {
  return { isOneToOne, direction: direction === 1 ? -1 : direction === -1 ? 1 : 0 };
}

function readsNew(node: Node): boolean {
  return someNode(node, (part) => part.op === "named" && part.name === "new");
}
