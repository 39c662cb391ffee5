/** JSON writer by static type: one writer for each type, used for all its values. */
import type { Json } from "../../support/json.ts";
import { compileBody } from "../compiling/bodies.ts";
import { compileNode } from "../compiling/compile.ts";
import { identifierReader } from "../compiling/identifier.ts";
import { withinCost } from "../cost.ts";
import { JsonText } from "../json-text.ts";
import { keyParts } from "../key.ts";
import type { FieldWords, Meaning } from "../scope.ts";
import { formatDuration } from "../time.ts";
import { type Type, types } from "../type.ts";
import type { Frame, Value } from "../value.ts";
import { timestampWriters, type WireForm } from "./wire.ts";

/** The frame is only read by computed fields of values. */
export type WriteValue = (value: Value, frame: Frame) => string;

/** What the writers of a response share. */
export interface Writing {
  readonly meaning: Meaning;
  readonly wire: WireForm;
  /** Writers of values by resource, so that a value that contains its own kind finds its own writer. */
  readonly valueWriters: Map<string, { write: WriteValue }>;
}

/**
 * The writer of a type.
 * @param built whether a map literal made the value, so that optional keys may be missing; otherwise a missing key is
 * null
 */
export function writerOf(type: Type, writing: Writing, built: boolean): WriteValue {
  const write = presentWriter(type, writing, built);
  return (value, frame) => {
    if (value === null || value === undefined) return "null";
    // Items of a page, which the store has serialized.
    const written: unknown = value;
    if (written instanceof JsonText) return written.json;
    return write(value, frame);
  };
}

function presentWriter(type: Type, writing: Writing, built: boolean): WriteValue {
  switch (type.kind) {
    case "timestamp": {
      const write = timestampWriters[writing.wire.timestamps];
      return (value) => (typeof value === "string" ? write(value) : writeAny(value));
    }
    case "duration":
      return (value) => (typeof value === "number" ? `"${formatDuration(value)}"` : writeAny(value));
    case "password":
    case "credential":
      // A password hash is never written. A `shown once` field arrives as a plain text, see
      // `engine/plan/output.ts`.
      return () => "null";
    case "list": {
      const write = writerOf(type.of, writing, built);
      return (value, frame) =>
        Array.isArray(value)
          ? `[${(value as readonly Value[]).map((value) => write(value, frame)).join(",")}]`
          : writeAny(value);
    }
    case "map":
      return mapWriter(writerOf(type.of, writing, built), writing);
    case "object":
      return objectWriter(type, writing, built);
    case "value":
      return valueWriter(type.resource, writing);
    case "record":
      return identifierWriter(type.resource, writing);
    default:
      return writeAny;
  }
}

type Keyed = Readonly<Record<string, Value>>;

function isKeyed(value: Value): value is Keyed {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

function mapWriter(write: WriteValue, { wire }: Writing): WriteValue {
  return (value, frame) => {
    if (!isKeyed(value)) return writeAny(value);
    const parts: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member !== null || wire.nulls) parts.push(`${JSON.stringify(key)}:${write(member, frame)}`);
    }
    return `{${parts.join(",")}}`;
  };
}

function objectWriter(type: Extract<Type, { kind: "object" }>, writing: Writing, built: boolean): WriteValue {
  const fields = new Map(
    Object.entries(type.fields).map(([name, of]) => [name, writerOf(of, writing, built)]),
  );
  const further = writerOf(types.any, writing, built);
  const { nulls } = writing.wire;
  return (value, frame) => {
    if (!isKeyed(value)) return writeAny(value);
    const parts: string[] = [];
    const put = (key: string, value: Value, write: WriteValue) => {
      if (value !== null || nulls) parts.push(`${JSON.stringify(key)}:${write(value, frame)}`);
    };
    if (!built) {
      for (const [key, write] of fields) put(key, value[key] ?? null, write);
      if (type.open)
        for (const key of Object.keys(value)) if (!fields.has(key)) put(key, value[key] ?? null, further);
    } else for (const [key, member] of Object.entries(value)) put(key, member, fields.get(key) ?? further);
    return `{${parts.join(",")}}`;
  };
}

function valueWriter(resource: string, writing: Writing): WriteValue {
  const known = writing.valueWriters.get(resource);
  if (known) return (value, frame) => known.write(value, frame);
  const holder: { write: WriteValue } = { write: writeAny };
  writing.valueWriters.set(resource, holder);
  const { meaning, wire } = writing;
  const visible = [...(meaning.vocabulary.resource(resource)?.fields.values() ?? [])].filter(
    (field) => !field.hidden,
  );
  const fields = visible.map((field) => ({
    key: `${JSON.stringify(field.name)}:`,
    read: fieldReader(field, resource, meaning),
    write: writerOf(field.type, writing, false),
  }));
  holder.write = (value, frame) => {
    if (!isKeyed(value)) return writeAny(value);
    const parts: string[] = [];
    for (const { key, read, write } of fields) {
      const text = write(read(value, frame), frame);
      if (text !== "null" || wire.nulls) parts.push(key + text);
    }
    return `{${parts.join(",")}}`;
  };
  return holder.write;
}

function fieldReader(
  field: FieldWords,
  resource: string,
  meaning: Meaning,
): (value: Keyed, frame: Frame) => Value {
  const { name } = field;
  const computed = field.computed ? meaning.computed(resource, name) : undefined;
  if (!computed) return (value) => value[name] ?? null;
  const evaluate = compileBody(compileNode, meaning, `computed ${resource}.${name}`, true, computed);
  return (value, frame) => evaluate(frame, value);
}

/** Writes a reference as its identifier. Several identifying fields are written as an object. */
function identifierWriter(resource: string, writing: Writing): WriteValue {
  const words = writing.meaning.vocabulary.resource(resource);
  const parts = (words?.identifier ?? []).map((name) => ({
    name,
    key: `${JSON.stringify(writing.wire.identifying?.names[resource]?.[name] ?? name)}:`,
    write: lazily(() => writerOf(words?.fields.get(name)?.type ?? types.any, writing, false)),
  }));
  const [only] = parts;
  if (only && parts.length === 1) {
    return (value, frame) => only.write(isKeyed(value) ? (value[only.name] ?? null) : value, frame);
  }
  if (parts.length === 0) return writeAny;
  // The key of a loaded record is written as well, so that it looks like a reference.
  const keyOf = identifierReader(resource, writing.meaning.vocabulary);
  return (value, frame) => {
    const key = keyOf(value);
    if (typeof key !== "string") return "null";
    const values = keyParts(key);
    return `{${parts.map(({ key: name, write }, at) => name + write(values[at] ?? null, frame)).join(",")}}`;
  };
}

/** Creates a writer on first use, because identifiers may be references themselves. */
function lazily(make: () => WriteValue): WriteValue {
  let made: WriteValue | undefined;
  return (value, frame) => {
    made ??= make();
    return made(value, frame);
  };
}

/** Writes a value of unknown type without conversions. */
function writeAny(value: Value): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return Number.isNaN(value) ? "null" : JSON.stringify(value);
  if (value instanceof Uint8Array) return JSON.stringify(base64(value));
  const written: unknown = value;
  if (written instanceof JsonText) return written.json;
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(writeAny).join(",")}]`;
  // A complete record without a type: its visible fields are unknown.
  if (Object.hasOwn(value, "#row")) return "null";
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeAny(member)}`)
    .join(",")}}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Quotes a text. Most texts have nothing to escape, and this halves the time for them. */
function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The writer of a type, for values that don't come from an expression. */
export function compileValueWriter(type: Type, meaning: Meaning, wire: WireForm): WriteValue {
  return withinCost(writerOf(type, { meaning, wire, valueWriters: new Map() }, false));
}

/** A value as the JSON data of its wire form. */
export function valueToJson(value: Value, type: Type, meaning: Meaning, wire: WireForm, frame: Frame): Json {
  return JSON.parse(compileValueWriter(type, meaning, wire)(value, frame)) as Json;
}
