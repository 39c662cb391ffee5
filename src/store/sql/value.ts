/** The value of an expression as SQL, in the form of its static type (`form.ts`). */
import { nonNull } from "../../support/non-null.ts";
import { jointlyIdentified, indexInKey } from "../../expressions/compiling/identifier.ts";
import { isPure } from "../../expressions/compiling/mixed-expressions.ts";
import type { Node } from "../../expressions/node.ts";
import type { Type } from "../../expressions/type.ts";
import { bound } from "./bound.ts";
import { conditionOf, sqlOf } from "./writing.ts";
import { type Environment, NotInSql, type Place } from "./environment.ts";
import { mustBeSql } from "./facts.ts";
import { type Form, formOf } from "./form.ts";
import { type Sql, sql } from "./fragment.ts";
import { jsonOf } from "./json.ts";
import { macroValue } from "./macros.ts";
import { callNative } from "./natives.ts";
import { operation } from "./operation.ts";
import { calculation, isComparison, opposite } from "./operators.ts";
import { columnOf, nameIn, valueOfPlace, withPlace, withSelf } from "./record.ts";
import { isTrue, keyCount, toNumber, toText } from "./standard-dialect.ts";
import { recordMember } from "../../expressions/record-members.ts";

/** Writes a node as a value. A node that reads no row becomes a parameter. */
export function writeValue(node: Node, environment: Environment): Sql {
  if (!mustBeSql(node, environment)) return bound(node, environment);
  switch (node.op) {
    case "fixed":
    case "named":
    case "parameter":
    case "local":
      return valueOfPlace(nameIn(node, environment) as Place, node, environment);
    case "field":
      return fieldValue(node, environment);
    case "index":
      return indexValue(node, environment);
    case "has":
      return hasValue(node, environment);
    case "not":
    case "and":
    case "or":
      return isTrue(conditionOf(node, environment));
    case "binary":
      if (isComparison(node)) return isTrue(conditionOf(node, environment));
      return calculation(node, environment);
    case "negate":
      return opposite(node, environment);
    case "if": {
      const then = convertedTo(node.then, node.type, environment);
      const otherwise = convertedTo(node.else, node.type, environment);
      return sql`CASE WHEN ${conditionOf(node.condition, environment)} THEN ${then} ELSE ${otherwise} END`;
    }
    case "call":
      return callValue(node, environment);
    case "key":
      return operation(node, node.parts, environment);
    case "macro":
      return macroValue(node, environment);
    case "list":
    case "map":
    case "collection":
    case "shape":
    case "representation":
      return shapeValue(node, environment);
    case "literal":
      return bound(node, environment);
  }
}

/**
 * Writes lists, maps and shapes in run-time form. A shape that isn't a map has the form of its own
 * type.
 */
function shapeValue(node: Node, environment: Environment): Sql {
  const { meaning } = environment.compiler;
  if (node.op === "shape" && formOf(node.type, meaning.vocabulary) !== "json") {
    const body = meaning.shapeBody(node.shape);
    if (!body || !node.of) throw new NotInSql(`the shape ${node.shape}`);
    return withSelf(node.of, environment, (inner) => convertedTo(body, node.type, inner));
  }
  return jsonOf(node, environment, undefined);
}

// ── Forms ───────────────────────────────────────────────────────────────────────────────────────

/** Converts a node's value to the form of another type, which a branch or an argument requires. */
function convertedTo(node: Node, to: Type, environment: Environment): Sql {
  const words = environment.compiler.meaning.vocabulary;
  const [from, wanted] = [formOf(node.type, words), formOf(to, words)];
  if (wanted === "any" && from === "any") return sqlOf(node, environment);
  if (wanted === "any" && from !== "null") return jsonOf(node, environment, undefined);
  return converted(sqlOf(node, environment), from, wanted, environment);
}

function converted(value: Sql, from: Form, to: Form, environment: Environment): Sql {
  const { dialect } = environment.compiler;
  if (from === to || from === "null") return value;
  if (from === "integer" && to === "number") return toNumber(value);
  if (from === "integer" && to === "decimal") return toText(value);
  if (from === "any") return dialect.jsonPart(value, [], to);
  return value;
}

// ── Fields ──────────────────────────────────────────────────────────────────────────────────────

function fieldValue(node: Extract<Node, { op: "field" }>, environment: Environment): Sql {
  const { of, name } = node;
  const { meaning } = environment.compiler;
  if (of.type.kind === "record" || of.type.kind === "value") {
    const body = meaning.vocabulary.resource(of.type.resource)?.fields.get(name)?.computed
      ? meaning.computed(of.type.resource, name)
      : undefined;
    if (body) return withSelf(of, environment, (inner) => convertedTo(body, node.type, inner));
  }
  if (of.type.kind === "record") return recordField(of, of.type.resource, name, environment);
  return partValue(node, environment);
}

function recordField(of: Node, resource: string, name: string, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const words = meaning.vocabulary;
  const isName = nameIn(of, environment)?.kind === "row";
  // A reference contains the identifier of its record (`this.shop.id`, `this.issue.number`).
  const at = isName ? undefined : indexInKey(resource, name, words);
  if (at !== undefined) {
    const key = sqlOf(of, environment);
    if (words.resource(resource)?.identifier.length === 1) return key;
    const type = fieldType(resource, name, environment);
    const part = dialect.jsonPart(key, [at], formOf(type, words));
    // A key within a key is a text. The concatenation prevents SQLite from writing it as a list,
    // which it remembers it to be.
    return type.kind === "record" && jointlyIdentified(type.resource, words) ? sql`(${part} || '')` : part;
  }
  return withPlace(of, environment, (place, inner) => {
    if (place.kind !== "row")
      return bound({ op: "field", of, name, type: fieldType(resource, name, inner) }, environment);
    const known = words.resource(resource);
    const member = known && recordMember(known, name);
    if (member) return columnOf(place, member.column, inner);
    const isHidden = name === "#row" || name === "#revision" || (name === "#deleted" && place.table.marked);
    if (!isHidden && !place.table.columns.some((column) => column.name === name))
      throw new NotInSql(`${resource}.${name}`);
    return columnOf(place, name, inner);
  });
}

function fieldType(resource: string, name: string, environment: Environment): Type {
  return (
    environment.compiler.meaning.vocabulary.resource(resource)?.fields.get(name)?.type ?? { kind: "any" }
  );
}

/** A part of a value, an object or a map. Nested parts become one path into the JSON. */
function partValue(node: Extract<Node, { op: "field" }>, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const path: string[] = [];
  let of: Node = node;
  while (of.op === "field" && isJson(of.of.type) && !isComputedPart(of, environment)) {
    path.unshift(of.name);
    of = of.of;
  }
  return dialect.jsonPart(sqlOf(of, environment), path, formOf(node.type, meaning.vocabulary));
}

function isJson(type: Type): boolean {
  return type.kind === "value" || type.kind === "object" || type.kind === "map" || type.kind === "any";
}

function isComputedPart(node: Extract<Node, { op: "field" }>, environment: Environment): boolean {
  if (node.of.type.kind !== "value") return false;
  return (
    environment.compiler.meaning.vocabulary.resource(node.of.type.resource)?.fields.get(node.name)
      ?.computed === true
  );
}

function indexValue(node: Extract<Node, { op: "index" }>, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const form = formOf(node.type, meaning.vocabulary);
  const { of, index } = node;
  if (of.type.kind !== "list" && of.type.kind !== "map") {
    const indexForm = formOf(index.type, meaning.vocabulary);
    const part =
      of.type.kind === "any"
        ? dialect.jsonAtAny?.(sqlOf(of, environment), sqlOf(index, environment), indexForm, form)
        : undefined;
    return part ?? operation(node, [of, index], environment);
  }
  const container = sqlOf(of, environment);
  if (index.op === "literal" && (typeof index.value === "number" || typeof index.value === "string")) {
    if (typeof index.value === "number" && !(Number.isSafeInteger(index.value) && index.value >= 0))
      return dialect.literal(null, form);
    return dialect.jsonPart(container, [index.value], form);
  }
  return dialect.jsonAt(container, sqlOf(index, environment), formOf(index.type, meaning.vocabulary), form);
}

/** For a record: whether the field has a value. For input: whether it was sent, even as null. */
function hasValue(node: Extract<Node, { op: "has" }>, environment: Environment): Sql {
  const { of, name } = node;
  if (of.type.kind === "record") {
    const type = fieldType(of.type.resource, name, environment);
    return sql`(${fieldValue({ op: "field", of, name, type }, environment)} IS NOT NULL)`;
  }
  return environment.compiler.dialect.jsonHas(sqlOf(of, environment), [name]);
}

// ── Calls ───────────────────────────────────────────────────────────────────────────────────────

function callValue(node: Extract<Node, { op: "call" }>, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const { args, function: name } = node;
  if (!isPure(name)) throw new NotInSql(`${name}()`);
  const words = meaning.vocabulary;
  if (name === "or") {
    const given = args
      .filter((argument) => argument.type.kind !== "null")
      .map((argument) => convertedTo(argument, node.type, environment));
    return given.length === 1 ? nonNull(given[0]) : sql`coalesce(${joinArguments(given)})`;
  }
  if (name === "merge") return jsonOf(node, environment, undefined);
  const [only] = args;
  if (name === "size" && (only?.type.kind === "list" || only?.type.kind === "map")) {
    const json = sqlOf(only, environment);
    return only.type.kind === "list" ? dialect.jsonLength(json) : keyCount(json, dialect);
  }
  const given = args.map((argument) => sqlOf(argument, environment));
  const forms = args.map((argument) => formOf(argument.type, words));
  const own = callNative(dialect.natives, name, given, forms);
  return own ?? operation(node, args, environment);
}

function joinArguments(given: readonly Sql[]): Sql {
  return given.reduce((all, item) => sql`${all}, ${item}`);
}
