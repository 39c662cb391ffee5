/**
 * Binds operators: operand and result types. The evaluators apply the null rules (notation,
 * "Null").
 */
import type { BinaryOperator, Node } from "../node.ts";
import {
  comparable,
  describeType,
  fits,
  isNumeric,
  isOpen,
  isSecret,
  join,
  orderable,
} from "../relations.ts";
import { isText, type Type, types } from "../type.ts";
import { asDecimal, coerce, conversionAdvice, keyOfMap } from "./coerce.ts";
import { type Binding, mistake, withPosition, type Range, rangeOf } from "./context.ts";
import { convertLiteral } from "./literals.ts";
import { resolveDistinction, castToResource } from "./resource-choice.ts";
import { warnOfUnknownOperand } from "./unknown-operand.ts";

/** Binds an operand that must be a boolean. Null counts as false. */
export function condition(binding: Binding, node: Node): Node {
  if (isOpen(node.type) || node.type.kind === "boolean") return node;
  return mistake(binding, "expressions/not-a-condition", rangeOf(binding, node), {
    found: describeType(node.type),
  });
}

export function bindBinary(
  binding: Binding,
  operator: BinaryOperator,
  left: Node,
  right: Node,
  range: Range,
): Node {
  switch (operator) {
    case "==":
    case "!=":
      return bindEquality(binding, operator, left, right, range);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return bindOrder(binding, operator, left, right, range);
    case "in":
      return bindMembership(binding, left, right, range);
    default:
      return bindArithmetic(binding, operator, left, right, range);
  }
}

// ── Comparison ──────────────────────────────────────────────────────────────────────────────────

function bindEquality(
  binding: Binding,
  operator: "==" | "!=",
  first: Node,
  second: Node,
  range: Range,
): Node {
  if (isNull(first) || isNull(second)) {
    for (const side of [first, second]) resolveDistinction(binding, side);
    return { op: "binary", operator, left: first, right: second, type: types.boolean };
  }
  const [left, right] = unifyOperands(
    binding,
    castToResource(binding, first, second.type),
    castToResource(binding, second, first.type),
  );
  if (!comparable(left.type, right.type, binding.words)) {
    return mistake(binding, "expressions/never-equal", range, {
      left: describeType(left.type),
      right: describeType(right.type),
      instead:
        conversionAdvice(binding, right.type, left.type) ?? conversionAdvice(binding, left.type, right.type),
    });
  }
  const [enumLeft, enumRight] = [left.type, right.type];
  if (enumLeft.kind === "enum" && enumRight.kind === "enum" && !fits(enumLeft, enumRight, binding.words)) {
    return mistake(binding, "expressions/never-equal", range, {
      left: describeType(enumLeft),
      right: describeType(enumRight),
    });
  }
  return (
    secretEquality(operator, left, right) ?? { op: "binary", operator, left, right, type: types.boolean }
  );
}

function isNull(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}

/**
 * Stored secrets are hashes. A password is compared by `verify`, a credential by hashing the other operand in the
 * same way. Both remain comparisons, so that null has its usual meaning.
 */
function secretEquality(operator: "==" | "!=", left: Node, right: Node): Node | undefined {
  const [stored, plain] = isStoredSecret(left) ? [left, right] : [right, left];
  if (!isStoredSecret(stored) || isStoredSecret(plain)) return undefined;
  if (stored.type.kind === "password") {
    const verified: Node = { op: "call", function: "verify", args: [stored, plain], type: types.boolean };
    return {
      op: "binary",
      operator,
      left: verified,
      right: { op: "literal", value: true, type: types.boolean },
      type: types.boolean,
    };
  }
  const hashed: Node = { op: "call", function: "hash credential", args: [plain], type: stored.type };
  return { op: "binary", operator, left: stored, right: hashed, type: types.boolean };
}

function isStoredSecret(node: Node): boolean {
  return isSecret(node.type) && node.op === "field" && node.of.type.kind === "record";
}

/**
 * Converts both operands to one type where possible: literals to the type of the other operand,
 * integers to decimals.
 */
function unifyOperands(binding: Binding, left: Node, right: Node): [Node, Node] {
  const node = keyOfMap(binding, left, right.type) ?? convertLiteral(binding, left, right.type);
  const converted = keyOfMap(binding, right, node.type) ?? convertLiteral(binding, right, node.type);
  if (node.type.kind === "decimal" && isNumeric(converted.type)) return [node, asDecimal(binding, converted)];
  if (converted.type.kind === "decimal" && isNumeric(node.type)) return [asDecimal(binding, node), converted];
  return [node, converted];
}

function bindOrder(
  binding: Binding,
  operator: BinaryOperator,
  first: Node,
  second: Node,
  range: Range,
): Node {
  const [left, right] = unifyOperands(binding, first, second);
  warnOfUnknownOperand(binding, operator, left, right);
  if (orderable(left.type, right.type)) return { op: "binary", operator, left, right, type: types.boolean };
  return refuse(binding, operator, left, right, range);
}

function refuse(binding: Binding, operator: string, left: Node, right: Node, range: Range): Node {
  return mistake(binding, "expressions/operand", range, {
    operator,
    left: describeType(left.type),
    right: describeType(right.type),
    instead: operandAdvice(binding, operator, left.type, right.type),
  });
}

/**
 * If one operand of `+` is a text, the other is converted to a text. Otherwise either may be converted
 * to the other's type. Maps are merged.
 */
function operandAdvice(binding: Binding, operator: string, left: Type, right: Type): string | undefined {
  if (operator === "+" && isMap(left) && isMap(right))
    return "Write `merge(first, second)`, which has the keys of both.";
  const leftToRight = conversionAdvice(binding, left, right);
  const rightToLeft = conversionAdvice(binding, right, left);
  return operator === "+" && isTextual(right) ? (leftToRight ?? rightToLeft) : (rightToLeft ?? leftToRight);
}

function isMap({ kind }: Type): boolean {
  return kind === "map" || kind === "object";
}

function bindMembership(binding: Binding, left: Node, right: Node, range: Range): Node {
  const type = right.type;
  const made = (item: Node, container: Node): Node => ({
    op: "binary",
    operator: "in",
    left: item,
    right: container,
    type: types.boolean,
  });
  if (isOpen(type)) return made(left, right);
  if (isMap(type)) return made(coerce(binding, left, types.string), right);
  if (type.kind !== "list") {
    return mistake(binding, "expressions/operand", range, {
      operator: "in",
      left: describeType(left.type),
      right: describeType(type),
      instead: isText(type) ? "Write `text.contains(part)` to search in a text." : undefined,
    });
  }
  // A list literal gets the type of the searched value. Otherwise a literal gets the type of the elements.
  if (right.op === "list") {
    const sought = right.items.reduce((found, item) => keyOfMap(binding, found, item.type) ?? found, left);
    const items = right.items.map((item) => memberOf(binding, sought, item));
    const list: Node = {
      ...right,
      items,
      type: {
        kind: "list",
        of: items.reduce<Type>((of, item) => join(of, item.type, binding.words), types.null),
      },
    };
    return made(sought, withPosition(binding, list, rangeOf(binding, right)));
  }
  const element = type.of;
  const item =
    keyOfMap(binding, left, element) ??
    convertLiteral(binding, castToResource(binding, left, element), element);
  if (comparable(item.type, element, binding.words)) return made(item, right);
  return neverIn(binding, left, element, rangeOf(binding, left));
}

function memberOf(binding: Binding, left: Node, item: Node): Node {
  const converted = keyOfMap(binding, item, left.type) ?? convertLiteral(binding, item, left.type);
  if (comparable(left.type, converted.type, binding.words)) return converted;
  return neverIn(binding, left, converted.type, rangeOf(binding, item));
}

function neverIn(binding: Binding, left: Node, element: Type, range: Range): Node {
  return mistake(binding, "expressions/never-equal", range, {
    left: describeType(left.type),
    right: describeType(element),
    instead: conversionAdvice(binding, left.type, element),
  });
}

// ── Arithmetic ──────────────────────────────────────────────────────────────────────────────────

function bindArithmetic(
  binding: Binding,
  operator: BinaryOperator,
  node: Node,
  amount: Node,
  range: Range,
): Node {
  const [left, right] = arithmeticSides(binding, node, amount);
  const type = arithmeticType(binding, operator, left.type, right.type);
  if (!type) return refuse(binding, operator, left, right, range);
  warnOfUnknownOperand(binding, operator, left, right);
  return { op: "binary", operator, left, right, type };
}

/**
 * A text literal combined with a timestamp or a duration stays a text, so that the hint for `now +
 * "1h"` suggests `duration("1h")`.
 */
function arithmeticSides(binding: Binding, left: Node, right: Node): [Node, Node] {
  if (isNumeric(left.type) && isNumeric(right.type)) return unifyOperands(binding, left, right);
  return [left, right];
}

function arithmeticType(
  binding: Binding,
  operator: BinaryOperator,
  left: Type,
  right: Type,
): Type | undefined {
  if (isOpen(left) || isOpen(right)) return openResult(operator, left, right);
  if (isNumeric(left) && isNumeric(right)) return numberResult(operator, left, right);
  const key = `${left.kind} ${operator} ${right.kind}`;
  const known = timeResults[key];
  if (known) return known;
  if (operator !== "+") return undefined;
  if (isTextual(left) && isTextual(right)) return types.string;
  if (left.kind === "bytes" && right.kind === "bytes") return types.bytes;
  if (left.kind === "list" && right.kind === "list") return join(left, right, binding.words);
  return undefined;
}

const timeResults: Readonly<Record<string, Type>> = {
  "timestamp + duration": types.timestamp,
  "duration + timestamp": types.timestamp,
  "timestamp - duration": types.timestamp,
  "timestamp - timestamp": types.duration,
  "date + duration": types.date,
  "duration + date": types.date,
  "date - duration": types.date,
  "date - date": types.duration,
  "duration + duration": types.duration,
  "duration - duration": types.duration,
  "duration * integer": types.duration,
  "integer * duration": types.duration,
  "duration / integer": types.duration,
};

function isTextual(type: Type): boolean {
  return isText(type) || isSecret(type);
}

function numberResult(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  const type =
    left.kind === "decimal"
      ? left
      : left.kind === "integer" && right.kind === "integer"
        ? types.integer
        : types.number;
  return operator === "%" && type.kind !== "integer" ? undefined : type;
}

/** The result type if one operand's type is unknown: what the other operand allows. */
function openResult(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  const known = isOpen(left) ? right : left;
  if (isOpen(known)) return types.any;
  if (operator === "+" && isTextual(known)) return types.string;
  if (known.kind === "decimal") return operator === "%" ? undefined : known;
  const isAccepted =
    isNumeric(known) ||
    known.kind === "duration" ||
    ((operator === "+" || operator === "-") && addable.has(known.kind));
  return isAccepted ? types.any : undefined;
}

const addable: ReadonlySet<string> = new Set(["timestamp", "date", "list", "bytes"]);
