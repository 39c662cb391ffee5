/**
 * Operators as functions: null rules of the notation ("Null"), arithmetic of decision "Overflow and
 * division by zero", order of decision "Text by code points".
 */
import {
  addDecimals,
  compareDecimals,
  divideDecimals,
  multiplyDecimals,
  negateDecimal,
  subtractDecimals,
} from "../decimal.ts";
import { isAnyCase } from "../any-case.ts";
import type { Node } from "../node.ts";
import { asDecimal, compareValues, sameDecimal, sameValue } from "../order.ts";
import { isOpen } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { compareText, lowerAscii } from "../text.ts";
import { dateAt, millisecondsOf, timestampAt } from "../time.ts";
import { isText, type Type, plainKinds } from "../type.ts";
import type { Value } from "../value.ts";
import { canonicalReader } from "./canonical.ts";
import type { Evaluate } from "./context.ts";

type Binary = Extract<Node, { op: "binary" }>;

export function compileBinary(node: Binary, left: Evaluate, right: Evaluate, words: Vocabulary): Evaluate {
  switch (node.operator) {
    case "==":
      return compileEquality(node, left, right, words);
    case "!=": {
      // The exact opposite of `==`, also for two nulls (decision "Two nulls are different").
      const same = compileEquality(node, left, right, words);
      return (frame) => !same(frame);
    }
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compileOrder(node, left, right, words);
    case "in":
      return compileMembership(node, left, right, words);
    default:
      return compileArithmetic(node, left, right);
  }
}

// ── Equality ────────────────────────────────────────────────────────────────────────────────────

function compileEquality(node: Binary, left: Evaluate, right: Evaluate, words: Vocabulary): Evaluate {
  // Comparison with the literal null is a presence test.
  if (isNullLiteral(node.right)) return (frame) => left(frame) === null;
  if (isNullLiteral(node.left)) return (frame) => right(frame) === null;
  const [leftReader, rightReader] = [
    canonicalReader(node.left.type, words),
    canonicalReader(node.right.type, words),
  ];
  const [readLeft, readRight] = anyCaseIn(node, words)
    ? [folding(leftReader), folding(rightReader)]
    : [leftReader, rightReader];
  const [a, b] = [reading(left, readLeft), reading(right, readRight)];
  if (needsDecimals(node.left.type, node.right.type)) {
    return (frame) => {
      const value = a(frame);
      return value !== null && sameDecimal(value, b(frame));
    };
  }
  if (isPlain(node.left.type) || isPlain(node.right.type)) {
    return (frame) => {
      const value = a(frame);
      return value !== null && value === b(frame);
    };
  }
  return (frame) => {
    const value = a(frame);
    return value !== null && sameValue(value, b(frame));
  };
}

function isNullLiteral(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}

type Read = ((value: Value) => Value) | undefined;

function folding(read: Read): Read {
  return (value) => foldCase(read ? read(value) : value);
}

export function foldCase(value: Value): Value {
  if (typeof value === "string") return lowerAscii(value);
  return Array.isArray(value) ? value.map(foldCase) : value;
}

function reading(evaluate: Evaluate, read: Read): Evaluate {
  if (!read) return evaluate;
  return (frame) => {
    const value = evaluate(frame);
    return value === null ? null : read(value);
  };
}

/** Whether operands must be compared as numbers. Two canonical decimals are equal if their texts are. */
function needsDecimals(a: Type, b: Type): boolean {
  if (a.kind === "decimal") return b.kind !== "decimal";
  return b.kind === "decimal";
}

const singleKinds: ReadonlySet<string> = new Set([...plainKinds, "enum", "password", "credential"]);

function isPlain(type: Type): boolean {
  return singleKinds.has(type.kind);
}

/** Whether an operand is a field with the rule `any case`. */
function anyCaseIn(node: Binary, words: Vocabulary): boolean {
  return isAnyCase(node.left, words) || isAnyCase(node.right, words);
}

// ── Order ───────────────────────────────────────────────────────────────────────────────────────

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function compileOrder(node: Binary, left: Evaluate, right: Evaluate, words: Vocabulary): Evaluate {
  const holds = orders[node.operator] as (order: number) => boolean;
  const fold = anyCaseIn(node, words);
  const compare = comparerOf(node.left.type, node.right.type);
  return (frame) => {
    const a = left(frame);
    if (a === null) return false;
    const b = right(frame);
    if (b === null) return false;
    const order = fold ? compare(foldCase(a), foldCase(b)) : compare(a, b);
    return order !== undefined && holds(order);
  };
}

/** The order of two values that aren't null, chosen once for their types. */
export function comparerOf(a: Type, b: Type): (a: Value, b: Value) => number | undefined {
  if (a.kind === "decimal" && b.kind === "decimal")
    return (left, right) => compareDecimals(left as string, right as string);
  if (isNumber(a) && isNumber(b)) return (left, right) => (left as number) - (right as number);
  if (isTextOrder(a) && isTextOrder(b)) return (left, right) => compareText(left as string, right as string);
  return (left, right) => compareValues(left, right, a, b);
}

function isNumber(type: Type): boolean {
  return type.kind === "integer" || type.kind === "number" || type.kind === "duration";
}

function isTextOrder(type: Type): boolean {
  return isText(type) || type.kind === "timestamp" || type.kind === "date";
}

// ── Membership ──────────────────────────────────────────────────────────────────────────────────

function compileMembership(node: Binary, left: Evaluate, right: Evaluate, words: Vocabulary): Evaluate {
  const fold = anyCaseIn(node, words);
  const element = node.right.type.kind === "list" ? node.right.type.of : node.right.type;
  const readItem = canonicalReader(node.left.type, words);
  const readElement = canonicalReader(element, words);
  const asNumbers = needsDecimals(node.left.type, element);
  return (frame) => {
    const container = right(frame);
    if (container === null || typeof container !== "object") return false;
    let item = left(frame);
    if (item === null) return false;
    if (readItem) item = readItem(item);
    if (fold) item = foldCase(item);
    if (!Array.isArray(container))
      return typeof item === "string" && !(container instanceof Uint8Array) && Object.hasOwn(container, item);
    // The item isn't null here, so that it isn't equal to a null in the list.
    for (const value of container as readonly Value[]) {
      const read = readElement ? readElement(value) : value;
      if (asNumbers ? sameDecimal(item, read) : sameValue(item, fold ? foldCase(read) : read)) return true;
    }
    return false;
  };
}

// ── Arithmetic ──────────────────────────────────────────────────────────────────────────────────

type Operation = (a: Value, b: Value) => Value;

function compileArithmetic(node: Binary, left: Evaluate, right: Evaluate): Evaluate {
  const operation = operationOf(node.operator, node.left.type, node.right.type);
  return (frame) => {
    const a = left(frame);
    if (a === null) return null;
    const b = right(frame);
    return b === null ? null : operation(a, b);
  };
}

function operationOf(operator: string, left: Type, right: Type): Operation {
  if (left.kind === "decimal" || right.kind === "decimal") return decimalOperation(operator);
  if (isOpen(left) || isOpen(right)) return openOperation(operator, left, right);
  switch (`${left.kind} ${operator} ${right.kind}`) {
    case "timestamp + duration":
      return (a, b) => timestampAt(millisecondsOf(a as string) + (b as number));
    case "duration + timestamp":
      return (a, b) => timestampAt((a as number) + millisecondsOf(b as string));
    case "timestamp - duration":
      return (a, b) => timestampAt(millisecondsOf(a as string) - (b as number));
    case "date + duration":
      return (a, b) => dateAt(millisecondsOf(a as string) + (b as number));
    case "duration + date":
      return (a, b) => dateAt((a as number) + millisecondsOf(b as string));
    case "date - duration":
      return (a, b) => dateAt(millisecondsOf(a as string) - (b as number));
    case "timestamp - timestamp":
    case "date - date":
      return (a, b) => millisecondsOf(a as string) - millisecondsOf(b as string);
  }
  if (left.kind === "bytes") return (a, b) => Buffer.concat([a as Uint8Array, b as Uint8Array]);
  if (left.kind === "list") return (a, b) => [...(a as readonly Value[]), ...(b as readonly Value[])];
  if (!isNumber(left)) return (a, b) => (typeof a === "string" && typeof b === "string" ? a + b : null);
  const whole = left.kind !== "number" && right.kind !== "number";
  return whole ? integerOperations[operator]! : numberOperations[operator]!;
}

/**
 * A result beyond ±(2^53−1) is an overflow, and like a division by zero null (decision "Overflow and division by
 * zero"). Adding 0 converts −0 to 0.
 */
const integer = (value: number): Value => (Number.isSafeInteger(value) ? value + 0 : null);
const finite = (value: number): Value => (Number.isFinite(value) ? value + 0 : null);

const integerOperations: Readonly<Record<string, Operation>> = {
  "+": (a, b) => integer((a as number) + (b as number)),
  "-": (a, b) => integer((a as number) - (b as number)),
  "*": (a, b) => integer((a as number) * (b as number)),
  "/": (a, b) => integer(Math.trunc((a as number) / (b as number))),
  "%": (a, b) => integer((a as number) % (b as number)),
};

const numberOperations: Readonly<Record<string, Operation>> = {
  "+": (a, b) => finite((a as number) + (b as number)),
  "-": (a, b) => finite((a as number) - (b as number)),
  "*": (a, b) => finite((a as number) * (b as number)),
  "/": (a, b) => finite((a as number) / (b as number)),
  "%": (a, b) => finite((a as number) % (b as number)),
};

const decimalOperations: Readonly<Record<string, (a: string, b: string) => string | null>> = {
  "+": addDecimals,
  "-": subtractDecimals,
  "*": multiplyDecimals,
  "/": divideDecimals,
};

function decimalOperation(operator: string): Operation {
  const operation = decimalOperations[operator];
  return (a, b) => {
    const left = asDecimal(a);
    const right = asDecimal(b);
    return operation && left !== null && right !== null ? operation(left, right) : null;
  };
}

/**
 * One type is known only at run time: numbers, texts and lists follow their values; the other
 * operand's type decides the rest.
 */
function openOperation(operator: string, left: Type, right: Type): Operation {
  const known = isOpen(left) ? right : left;
  if (known.kind === "timestamp" || known.kind === "date" || known.kind === "duration") {
    return openTimeOperation(operator, left, right);
  }
  return (a, b) => {
    if (typeof a === "number" && typeof b === "number") {
      const whole = Number.isInteger(a) && Number.isInteger(b);
      return (whole ? integerOperations[operator]! : numberOperations[operator]!)(a, b);
    }
    if (operator !== "+") return null;
    if (typeof a === "string" && typeof b === "string") return a + b;
    return Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : null;
  };
}

/** `now - body.x`: the value of open type may be a timestamp (a text) or a duration (a number). */
function openTimeOperation(operator: string, left: Type, right: Type): Operation {
  const kindOf = (type: Type, value: Value, other: Type): Type["kind"] => {
    if (!isOpen(type)) return type.kind;
    if (typeof value === "number")
      return other.kind === "duration" && operator !== "+" && operator !== "-" ? "integer" : "duration";
    return other.kind === "date" ? "date" : "timestamp";
  };
  return (a, b) => {
    const leftType = { kind: kindOf(left, a, right) } as Type;
    const effectiveRight = { kind: kindOf(right, b, left) } as Type;
    if (!timeForms.has(`${leftType.kind} ${operator} ${effectiveRight.kind}`)) return null;
    const value = operationOf(operator, leftType, effectiveRight)(a, b);
    return typeof value === "number" && Number.isNaN(value) ? null : value;
  };
}

const timeForms: ReadonlySet<string> = new Set([
  "timestamp + duration",
  "duration + timestamp",
  "timestamp - duration",
  "timestamp - timestamp",
  "date + duration",
  "duration + date",
  "date - duration",
  "date - date",
  "duration + duration",
  "duration - duration",
  "duration * integer",
  "integer * duration",
  "duration / integer",
]);

export function compileNegation(of: Evaluate, type: Type): Evaluate {
  return (frame) => {
    const value = of(frame);
    if (typeof value === "number") return 0 - value;
    if (type.kind === "decimal" && typeof value === "string") return negateDecimal(value);
    return null;
  };
}
