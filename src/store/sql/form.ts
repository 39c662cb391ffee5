/**
 * SQL form of values by their static type: how they are bound as parameters and decoded from
 * results.
 *
 * Lists, maps, values and objects are JSON text with elements in their run-time form. A value of
 * unknown type (`any`) is always JSON text, so that `1` and `"1"` remain distinct.
 */
import { nonNull } from "../../support/non-null.ts";
import { withoutPrototypes } from "../../support/bare-object.ts";
import { identifierOf } from "../../expressions/compiling/identifier.ts";
import type { Meaning, Vocabulary } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import type { Dialect } from "./dialect.ts";
import type { SqlValue } from "./sql-value.ts";

export type Form =
  | "null"
  | "any"
  | "text"
  | "integer"
  | "number"
  | "decimal"
  | "boolean"
  | "timestamp"
  | "date"
  | "duration"
  | "bytes"
  | "json";

/** The SQL form of a type's values. */
export function formOf(type: Type, words: Vocabulary): Form {
  switch (type.kind) {
    case "null":
    case "any":
    case "integer":
    case "number":
    case "decimal":
    case "boolean":
    case "timestamp":
    case "date":
    case "duration":
    case "bytes":
      return type.kind;
    case "list":
    case "map":
    case "object":
    case "value":
    case "collection":
      return "json";
    case "record":
      return identifierForm(type.resource, words);
    default:
      return "text";
  }
}

/**
 * The form of a resource's key. If a reference identifies the resource, it has the form of the
 * target's key. Circular keys and keys with several fields are text.
 */
function identifierForm(resource: string, words: Vocabulary, seen: readonly string[] = []): Form {
  const type = identifierTypeOf(resource, words);
  if (!type) return "text";
  if (type.kind !== "record") return formOf(type, words);
  return seen.includes(type.resource) ? "text" : identifierForm(type.resource, words, [...seen, resource]);
}

/** The type of the identifying field; undefined if there are several or none. */
function identifierTypeOf(resource: string, words: Vocabulary): Type | undefined {
  const found = words.resource(resource);
  const name = found?.identifier.length === 1 ? nonNull(found.identifier[0]) : undefined;
  return name === undefined ? undefined : found?.fields.get(name)?.type;
}

/**
 * Whether equal values of a form are equal in SQL, and the database orders them as the notation
 * does.
 */
export function isNative(form: Form): boolean {
  return form !== "any" && form !== "json" && form !== "decimal" && form !== "null";
}

/** Replaces a record by its key. */
export function identifierIn(value: Value, resource: string, meaning: Pick<Meaning, "vocabulary">): Value {
  if (value === null || typeof value !== "object" || !("#row" in value)) return value;
  return identifierOf(value, resource, meaning);
}

export type Encode = (value: Value | undefined) => SqlValue;

/** The encoder of a type's values as parameters. */
export function encoderOf(type: Type, meaning: Pick<Meaning, "vocabulary">, dialect: ValueCodec): Encode {
  if (type.kind === "record") {
    const encode = dialect.encoder(formOf(type, meaning.vocabulary));
    return (value) =>
      value === null || value === undefined ? null : encode(identifierIn(value, type.resource, meaning));
  }
  if (type.kind === "list" || type.kind === "map" || type.kind === "collection") {
    return jsonEncoderOf(type, meaning);
  }
  return dialect.encoder(formOf(type, meaning.vocabulary));
}

/** The part of a dialect that binds and decodes values. */
export type ValueCodec = Pick<Dialect, "encoder" | "decoder">;

/** The encoder of a value's run-time form as JSON text. */
export function jsonEncoderOf(type: Type, meaning: Pick<Meaning, "vocabulary">): Encode {
  const plain = plainOf(type, meaning);
  return (value) =>
    value === null || value === undefined ? null : JSON.stringify(withoutRecords(plain(value)));
}

/** The encoder of a form, for databases without special rules. */
export function usualEncoder(form: Form): Encode {
  switch (form) {
    case "json":
    case "any":
      return (value) =>
        value === null || value === undefined ? null : JSON.stringify(withoutRecords(value));
    case "null":
      return () => null;
    default:
      return (value) => (value === undefined ? null : (value as SqlValue));
  }
}

/** Replaces records inside lists and maps by their keys. */
function plainOf(type: Type, meaning: Pick<Meaning, "vocabulary">): (value: Value) => Value {
  if (type.kind === "record") return (value) => identifierIn(value, type.resource, meaning);
  if (type.kind === "collection")
    return (value) => mapValues(value, (item) => identifierIn(item, type.resource, meaning));
  if (type.kind === "list" || type.kind === "map") {
    const inner = plainOf(type.of, meaning);
    return (value) => mapValues(value, inner);
  }
  return (value) => value;
}

function mapValues(value: Value, change: (element: Value) => Value): Value {
  if (Array.isArray(value)) return value.map(change);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member as Value)]));
}

/** Bytes have no JSON form. In a value of unknown type they are bound as base64. */
function withoutRecords(value: Value): Value {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

export type Decode = (stored: unknown) => Value;

/** The decoder of a type's results. */
export function decoderOf(type: Type, words: Vocabulary, dialect: ValueCodec): Decode {
  return dialect.decoder(formOf(type, words));
}

/** The decoder of a form, for databases without special rules. */
export function usualDecoder(form: Form): Decode {
  switch (form) {
    case "json":
    case "any":
      return (stored) => (stored === null || stored === undefined ? null : readJson(String(stored)));
    case "null":
      return () => null;
    case "bytes":
      return (stored) => (stored instanceof Uint8Array ? stored : null);
    default:
      return (stored) => (stored === undefined ? null : (stored as Value));
  }
}

/** Parses JSON text to a value. */
export function readJson(text: string): Value {
  return withoutPrototypes(JSON.parse(text)) as Value;
}
