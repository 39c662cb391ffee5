/** Comparisons and arithmetic in SQL. A comparison with null is false (notation, "Null"). */
import type { Node } from "../../expressions/node.ts";
import { negation } from "./negation.ts";
import { Block, type Environment } from "./environment.ts";
import type { Dialect, Operand } from "./dialect.ts";
import { type Form, formOf } from "./form.ts";
import { joined, type Sql, sql } from "./fragment.ts";
import { mustBeSql } from "./facts.ts";
import { comparePrefixAmong, prefixFunction, comparePrefixes } from "./long-text.ts";
import { operation } from "./operation.ts";
import { elementValue, sourceOf } from "./source.ts";
import { jsonKey, toNumber } from "./standard-dialect.ts";
import { sqlOf } from "./writing.ts";
import { isAnyCase, withOwnCase } from "./case.ts";

type Binary = Extract<Node, { op: "binary" }>;

const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "in"]);

/** Whether an operator is a comparison. */
export function isComparison(node: Binary): boolean {
  return comparisons.has(node.operator);
}

/** Writes a comparison in which null counts as false. */
export function comparison(node: Binary, environment: Environment): Sql {
  switch (node.operator) {
    case "==":
      return equality(node, environment);
    case "!=":
      return inequality(node, environment);
    case "in":
      return membership(node, environment);
    default:
      return order(node, environment);
  }
}

function isNullLiteral(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}

function equality(node: Binary, environment: Environment): Sql {
  const { left, right } = node;
  if (isNullLiteral(right)) return sql`(${sqlOf(left, environment)} IS NULL)`;
  if (isNullLiteral(left)) return sql`(${sqlOf(right, environment)} IS NULL)`;
  if (left.type.kind === "null" || right.type.kind === "null") return sql`FALSE`;
  if (!areNative(left, right, environment))
    return sameJson(left, right, environment) ?? operation(node, [left, right], environment);
  return bothCompared(left, "=", right, environment);
}

function sameJson(left: Node, right: Node, environment: Environment): Sql | undefined {
  const [leftJson, rightJson] = [asJson(left, environment), asJson(right, environment)];
  return leftJson && rightJson && sql`(${leftJson} = ${rightJson})`;
}

/**
 * A value as JSON for a comparison; undefined if the database can't compare it so, or the field
 * ignores case.
 */
function asJson(node: Node, environment: Environment): Sql | undefined {
  const { dialect, meaning } = environment.compiler;
  const form = formOf(node.type, meaning.vocabulary);
  // Tested with an empty value first: if the database can't compare so, the value must not be
  // written.
  if (isAnyCase(node, environment) || !dialect.comparedAsJson(sql``, node.type, form)) return undefined;
  return dialect.comparedAsJson(sqlOf(node, environment), node.type, form);
}

/** The opposite of equality, which is true for two nulls (decision "Two nulls are different"). */
function inequality(node: Binary, environment: Environment): Sql {
  const { left, right } = node;
  if (isNullLiteral(right)) return sql`(${sqlOf(left, environment)} IS NOT NULL)`;
  if (isNullLiteral(left)) return sql`(${sqlOf(right, environment)} IS NOT NULL)`;
  return negation({ ...node, operator: "==" }, environment);
}

function order(node: Binary, environment: Environment): Sql {
  const { left, right, operator } = node;
  if (left.type.kind === "null" || right.type.kind === "null") return sql`FALSE`;
  if (!areNative(left, right, environment)) return operation(node, [left, right], environment);
  return bothCompared(left, operator, right, environment);
}

function bothCompared(left: Node, operator: string, right: Node, environment: Environment): Sql {
  const leftSide = { node: left, value: compared(left, right, environment) };
  const rightSide = { node: right, value: compared(right, left, environment) };
  return sql`(${leftSide.value} ${operator} ${rightSide.value}${comparePrefixes(leftSide, operator, rightSide, environment)})`;
}

/** Whether the database compares both forms as the notation does. */
function areNative(left: Node, right: Node, environment: Environment): boolean {
  const words = environment.compiler.meaning.vocabulary;
  return areComparable(formOf(left.type, words), formOf(right.type, words), environment);
}

function areComparable(left: Form, right: Form, { compiler: { dialect } }: Environment): boolean {
  return dialect.isComparable(left) && dialect.isComparable(right) && family(left) === family(right);
}

/** Groups forms whose values can be compared with one another. */
function family(form: Form): string {
  return form === "integer" || form === "number" ? "number" : form;
}

function compared(node: Node, other: Node, environment: Environment): Sql {
  const value = sqlOf(node, environment);
  const { dialect, meaning } = environment.compiler;
  if (isAnyCase(node, environment) || isAnyCase(other, environment)) return dialect.anyCase(value);
  return dialect.compared(withOwnCase(node, value, environment), formOf(node.type, meaning.vocabulary));
}

// ── Membership ──────────────────────────────────────────────────────────────────────────────────

function membership(node: Binary, environment: Environment): Sql {
  const { left, right } = node;
  const words = environment.compiler.meaning.vocabulary;
  const kind = right.type.kind;
  if (kind === "map" || kind === "object" || kind === "value") return keyMembership(left, right, environment);
  const of = right.type.kind === "list" ? right.type.of : undefined;
  const { dialect } = environment.compiler;
  const form = of && formOf(of, words);
  const native = form && areComparable(form, formOf(left.type, words), environment);
  if (right.op === "list" && right.items.length > 0) return listed(node, left, right.items, environment);
  if (!native) {
    const item = of && asJson(left, environment);
    if (!item || !dialect.comparedAsJson(sql``, of, form as Form))
      return operation(node, [left, right], environment);
    const source = sourceOf(right, environment);
    const element = dialect.comparedAsJson(elementValue(source), of, form as Form) as Sql;
    return sql`(${item} IN (SELECT ${element}${source.block.tail()}))`;
  }
  const value = compared(left, left, environment);
  // The list is a separate SELECT. If it depends on no outer row, the database reads it once.
  const source = sourceOf(right, environment);
  const element = dialect.compared(elementValue(source), form);
  const item = isAnyCase(left, environment) ? dialect.anyCaseToo(element) : element;
  const beginning = mustBeSql(right, environment) ? undefined : prefixFunction(left, environment);
  const prefixCondition = beginning
    ? sql` AND ${beginning(value)} IN (SELECT ${beginning(item)}${source.block.tail()})`
    : sql``;
  return sql`(${value} IN (SELECT ${item}${source.block.tail()})${prefixCondition})`;
}

function listed(node: Binary, left: Node, items: readonly Node[], environment: Environment): Sql {
  const there = items.filter((item) => item.type.kind !== "null");
  if (there.length === 0) return sql`FALSE`;
  const isPlain = there.every((item) => areNative(left, item, environment));
  if (!isPlain || isAnyCase(left, environment)) {
    const each = there.map((item) => equality({ ...node, operator: "==", right: item }, environment));
    return sql`(${joined(each, " OR ")})`;
  }
  const { dialect, meaning } = environment.compiler;
  const value = (node: Node, operand: Sql) =>
    dialect.compared(operand, formOf(node.type, meaning.vocabulary));
  const leftSide = {
    node: left,
    value: value(left, withOwnCase(left, sqlOf(left, environment), environment)),
  };
  const rightSides = there.map((node) => ({ node, value: value(node, sqlOf(node, environment)) }));
  const texts = rightSides.map((item) => item.value);
  return sql`(${leftSide.value} IN (${joined(texts, ", ")})${comparePrefixAmong(leftSide, rightSides, environment)})`;
}

function keyMembership(left: Node, right: Node, environment: Environment): Sql {
  const { dialect, alias } = environment.compiler;
  const name = alias("e");
  const block = new Block();
  block.add(dialect.jsonEach(sqlOf(right, environment), name, "map"));
  return sql`(${sqlOf(left, environment)} IN (SELECT ${jsonKey(name)}${block.tail()}))`;
}

// ── Arithmetic ──────────────────────────────────────────────────────────────────────────────────

const arithmetic: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);

/** The value of `+`, `-`, `*`, `/` or `%`; null if an operand is null. */
export function calculation(node: Binary, environment: Environment): Sql {
  const { left, right, operator, type } = node;
  const { dialect, meaning } = environment.compiler;
  if (!arithmetic.has(operator)) throw new Error(`no arithmetic: ${operator}`);
  const operand = (of: Node): Operand => ({
    form: formOf(of.type, meaning.vocabulary),
    write: () => sqlOf(of, environment),
  });
  const gives = formOf(type, meaning.vocabulary);
  const within = furthest(node) <= Number.MAX_SAFE_INTEGER;
  return (
    calculated(operator, operand(left), operand(right), gives, within, dialect) ??
    operation(node, [left, right], environment)
  );
}

function calculated(
  operator: string,
  left: Operand,
  right: Operand,
  gives: Form,
  within: boolean,
  dialect: Dialect,
): Sql | undefined {
  if (gives === "text" && left.form === "text" && right.form === "text")
    return sql`(${left.write()} || ${right.write()})`;
  if ((gives === "integer" || gives === "duration") && isWhole(left) && isWhole(right))
    return dialect.wholeCalculation(operator, left.write(), right.write(), within);
  if (gives === "number" && family(left.form) === "number" && family(right.form) === "number")
    return dialect.fractionCalculation(operator, asNumber(left), asNumber(right));
  return dialect.otherCalculation(operator, left, right, gives);
}

function isWhole({ form }: Operand): boolean {
  return form === "integer" || form === "duration";
}

function asNumber({ write, form }: Operand): Sql {
  return form === "integer" ? toNumber(write()) : write();
}

/**
 * The greatest possible absolute value of a whole number, derived from its operands. A result
 * within the bounds needs no check.
 *
 * Stored, received and computed operands are within ±(2^53−1). Quotients and remainders are never
 * farther from 0 than the dividend.
 */
function furthest(node: Node): number {
  if (node.op === "literal" && typeof node.value === "number") return Math.abs(node.value);
  if (node.op !== "binary") return Number.MAX_SAFE_INTEGER;
  const left = Math.min(furthest(node.left), Number.MAX_SAFE_INTEGER);
  const right = Math.min(furthest(node.right), Number.MAX_SAFE_INTEGER);
  const divisor = node.right.op === "literal" ? Math.max(1, right) : 1;
  switch (node.operator) {
    case "+":
    case "-":
      return left + right;
    case "*":
      return left * right;
    case "/":
      return Math.ceil(left / divisor);
    case "%":
      return left;
    default:
      return Number.MAX_SAFE_INTEGER;
  }
}

/** The negated number; null for null. */
export function opposite(node: Extract<Node, { op: "negate" }>, environment: Environment): Sql {
  const form = formOf(node.of.type, environment.compiler.meaning.vocabulary);
  if (form !== "integer" && form !== "duration" && form !== "number")
    return operation(node, [node.of], environment);
  return sql`(0 - ${sqlOf(node.of, environment)})`;
}
