/**
 * JSON text of values in SQL, by their types. The dialect writes scalars; stored JSON is copied, or
 * written part by part.
 */
import { jointlyIdentified } from "../../expressions/compiling/identifier.ts";
import { isPure } from "../../expressions/compiling/mixed-expressions.ts";
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import { writerOf } from "../../expressions/writing/values.ts";
import { wireName } from "../../expressions/writing/wire.ts";
import type { WireForm } from "../store.ts";
import type { Operation } from "./dialect.ts";
import { type Environment, NotInSql } from "./environment.ts";
import { formOf } from "./form.ts";
import { type Sql, sql } from "./fragment.ts";
import { concatenated, type Entry, type Json, nullableJson, writeEntries } from "./json-pieces.ts";
import { keyIn, operationFrame } from "./operation.ts";
import { writtenJsonText } from "./standard-dialect.ts";

/** The JSON text of a value in SQL, by its type. */
export function textOfValue(
  value: Sql,
  type: Type,
  environment: Environment,
  wire: WireForm | undefined,
  built = false,
): Json {
  const { dialect, meaning } = environment.compiler;
  if ((type.kind === "password" || type.kind === "credential") && wire)
    return nullableJson(sql`NULL`, sql`'null'`);
  const form = formOf(type, meaning.vocabulary);
  if (form === "json" || form === "any") {
    if (!wire || isUnchanged(type, wire)) return nullableJson(value);
    if (dialect.isColumn(value) && !built && isStoredAsShown(type, wire, environment.compiler.meaning))
      return nullableJson(value);
    const parts =
      dialect.isColumn(value) && !(built && type.kind === "object") ? partsIn(type, environment) : undefined;
    if (parts) return writeParts(value, parts, environment, wire);
    return nullableJson(dialect.operation(wireOperation(type, environment, wire, built), [form], [value]));
  }
  const joint =
    wire && type.kind === "record" ? jointlyIdentified(type.resource, meaning.vocabulary) : undefined;
  if (wire && joint !== undefined) {
    if (dialect.isColumn(value)) return writeReference(value, joint, environment, wire);
    return nullableJson(dialect.operation(wireOperation(type, environment, wire, built), [form], [value]));
  }
  const text = dialect.jsonText(value, type, form, wire);
  if (!text && wire)
    return nullableJson(dialect.operation(wireOperation(type, environment, wire, built), [form], [value]));
  if (!text) throw new NotInSql(`${form} in a list or a map`);
  return nullableJson(text, writtenJsonText(value, type, form, wire, dialect));
}

/** Whether the wire form of a type equals its run-time form. */
function isUnchanged(type: Type, wire: WireForm): boolean {
  switch (type.kind) {
    case "list":
      return isUnchanged(type.of, wire);
    case "map":
      return wire.nulls && isUnchanged(type.of, wire);
    case "timestamp":
      return wire.timestamps === "milliseconds";
    case "duration":
    case "password":
    case "credential":
    case "bytes":
    case "object":
    case "value":
    case "record":
    case "collection":
      return false;
    default:
      return true;
  }
}

/**
 * Whether a stored value is the text of the response. The store keeps all parts in the document's
 * order, including nulls (`json-shape.ts`). So each part must be serialized as it is stored.
 */
function isStoredAsShown(
  type: Type,
  wire: WireForm,
  meaning: Meaning,
  inside: readonly string[] = [],
): boolean {
  if (isUnchanged(type, wire)) return true;
  if (type.kind === "list") return isStoredAsShown(type.of, wire, meaning, inside);
  if (!wire.nulls) return false;
  if (type.kind === "object") {
    return (
      !type.open && Object.values(type.fields).every((part) => isStoredAsShown(part, wire, meaning, inside))
    );
  }
  if (type.kind !== "value" || inside.includes(type.resource)) return false;
  const fields = [...(meaning.vocabulary.resource(type.resource)?.fields.values() ?? [])];
  return (
    fields.length > 0 &&
    fields.every(
      (field) =>
        !field.hidden &&
        !field.computed &&
        isStoredAsShown(field.type, wire, meaning, [...inside, type.resource]),
    )
  );
}

/** The parts of a stored value or object; undefined if they are unknown, or some are computed. */
function partsIn(
  type: Type,
  { compiler: { meaning } }: Environment,
): readonly (readonly [string, Type])[] | undefined {
  if (type.kind === "object") return type.open ? undefined : Object.entries(type.fields);
  if (type.kind !== "value") return undefined;
  const shown = [...(meaning.vocabulary.resource(type.resource)?.fields.values() ?? [])].filter(
    (field) => !field.hidden,
  );
  if (shown.length === 0 || shown.some((field) => field.computed)) return undefined;
  return shown.map((field) => [field.name, field.type]);
}

/** Writes a stored value key by key. JSON that is the same on the wire is copied. */
function writeParts(
  value: Sql,
  parts: readonly (readonly [string, Type])[],
  environment: Environment,
  wire: WireForm,
): Json {
  const { dialect, meaning } = environment.compiler;
  const entries = parts.map(([key, type]): Entry => {
    const isSecret = type.kind === "password" || type.kind === "credential";
    if (!isSecret && isUnchanged(type, wire)) {
      return {
        key,
        optional: false,
        json: nullableJson(dialect.jsonPart(value, [key], "json"), dialect.writtenJsonPart(value, [key])),
      };
    }
    const part = dialect.jsonPart(value, [key], formOf(type, meaning.vocabulary));
    return { key, optional: false, json: textOfValue(part, type, environment, wire) };
  });
  const object = concatenated(writeEntries(entries, environment, wire).pieces, environment);
  return nullableJson(sql`CASE WHEN ${value} IS NOT NULL THEN ${object} END`);
}

/** Writes a reference with several fields as an object with the parts of its key. */
function writeReference(value: Sql, resource: string, environment: Environment, wire: WireForm): Json {
  const { dialect, meaning } = environment.compiler;
  const words = meaning.vocabulary.resource(resource);
  const entries = (words?.identifier ?? []).map((name, at): Entry => {
    const key = wire.identifying?.names[resource]?.[name] ?? name;
    const type = words?.fields.get(name)?.type ?? types.any;
    const part = dialect.jsonPart(value, [at], formOf(type, meaning.vocabulary));
    // Identifying fields are never null.
    return { key, optional: false, json: { ...textOfValue(part, type, environment, wire), nullable: false } };
  });
  const object = concatenated(writeEntries(entries, environment, wire).pieces, environment);
  return nullableJson(sql`CASE WHEN ${value} IS NOT NULL THEN ${object} END`);
}

/**
 * Whether a computed part of a value reads more than the value. Only the function compiler can
 * write it then.
 */
function readsFrame(type: Type, meaning: Meaning, seen: readonly string[] = []): boolean {
  if (type.kind === "list" || type.kind === "map") return readsFrame(type.of, meaning, seen);
  if (type.kind === "object")
    return Object.values(type.fields).some((candidate) => readsFrame(candidate, meaning, seen));
  if (type.kind !== "value" || seen.includes(type.resource)) return false;
  const { resource } = type;
  return [...(meaning.vocabulary.resource(resource)?.fields.values() ?? [])].some((field) => {
    const body = field.computed ? meaning.computed(resource, field.name) : undefined;
    const isEvaluated = (node: Node) =>
      (node.op === "fixed" && node.name !== "this") || (node.op === "call" && !isPure(node.function));
    return body ? someNode(body, isEvaluated) : readsFrame(field.type, meaning, [...seen, resource]);
  });
}

/** Writes lists, maps, values and objects with the function compiler. */
function wireOperation(
  type: Type,
  { compiler: { meaning } }: Environment,
  wire: WireForm,
  built: boolean,
): Operation {
  if (readsFrame(type, meaning)) throw new NotInSql("a value that is partly computed from the request");
  const writeText = writerOf(type, { meaning, wire, valueWriters: new Map() }, built);
  return {
    key: keyIn(meaning, `wire ${wireName(wire)} ${built} ${JSON.stringify(type)}`),
    takes: [type],
    gives: "text",
    evaluate: ([value]) => (value === null || value === undefined ? null : writeText(value, operationFrame)),
  };
}
