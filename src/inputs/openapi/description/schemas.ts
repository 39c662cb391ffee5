/**
 * OpenAPI schemas as the recognisers see them: references resolved, `allOf` merged, null removed
 * from unions.
 */
import { wholePattern } from "../../../support/whole-pattern.ts";
import type { Files } from "./files.ts";
import {
  isOwnExport,
  isPlain,
  listOf,
  member,
  numberOf,
  type Plain,
  plainOf,
  textOf,
  textsOf,
} from "./values.ts";

export interface Schema {
  /** The object that represents the schema in all references. */
  readonly identity: object;
  readonly name: string | undefined;
  /** The schema of the same records: one that only requires more keys of another describes its records. */
  readonly record: { readonly identity: object; readonly name: string | undefined };
  /** JSON types without null. */
  readonly kinds: readonly string[];
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly items: unknown;
  /** The schema of all other keys, or `true` or `false` as written. */
  readonly additional: unknown;
  /** The alternatives, if there are several besides null. */
  readonly union: readonly unknown[] | undefined;
  /** The values of an enumeration, without null. */
  readonly values: readonly unknown[] | undefined;
  /** The keywords of the schema and of the schemas merged into it. */
  readonly own: Plain;
}

export interface PlainType {
  readonly kind: "plain";
  readonly text: string;
  readonly note?: string;
  /** A union of objects that has keys of its own: each of the objects has them, too. */
  readonly shared?: Schema;
}

/** The type of a field or an input. A comment keeps `kept`, which the type doesn't express. */
export type Type =
  | PlainType
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "value"; readonly schema: Schema; readonly node: unknown }
  | { readonly kind: "list" | "map"; readonly of: Type }
  | { readonly kind: "several"; readonly of: readonly Type[] };

export interface Schemas {
  read(node: unknown): Schema;
  type(node: unknown): Type;
}

/** Maximum depth of nested schemas that are merged or inspected. */
const depthMax = 16;
/** Maximum number of properties of a schema, which is that of a table's rows. */
const propertiesMax = 1500;

export function createSchemas(files: Files): Schemas {
  const read = new Map<object, Schema>();
  const types = new Map<object, Type>();
  const nowhere: Schema = emptySchema({});
  // Integers of Ninefold are exact up to 2^53, whatever their format is called.
  const isOwn = isOwnExport(files.first);

  const readAt = (node: unknown, depth: number): Schema => {
    const found = files.follow(node);
    if (!isPlain(found) || depth > depthMax) return nowhere;
    const known = read.get(found);
    if (known) return known;
    // While a schema is merged, a reference to itself resolves to an empty schema.
    read.set(found, emptySchema(found));
    const schema = merged(found, files.nameOf(node), propertiesOf(found, files), (inner) =>
      readAt(inner, depth + 1),
    );
    read.set(found, schema);
    return schema;
  };
  const typeAt = (node: unknown, depth: number): Type => {
    const schema = readAt(node, 0);
    const known = types.get(schema);
    if (known) return known;
    if (depth > depthMax) return { kind: "plain", text: "json", note: "nested too deeply" };
    const type = typeOf(schema, node, isOwn, (inner) => typeAt(inner, depth + 1));
    types.set(schema, type);
    return type;
  };
  return { read: (node) => readAt(node, 0), type: (node) => typeAt(node, 0) };
}

function emptySchema(identity: object): Schema {
  return {
    identity,
    name: undefined,
    record: { identity, name: undefined },
    kinds: [],
    nullable: false,
    properties: new Map(),
    required: new Set(),
    items: undefined,
    additional: undefined,
    union: undefined,
    values: undefined,
    own: {},
  };
}

/** The properties of a schema. The map may be a reference: no schema is a text, so `$ref` names no property there. */
function propertiesOf(found: Plain, files: Files): readonly (readonly [key: string, schema: unknown])[] {
  const written = member(found, "properties");
  const isReference = typeof member(written, "$ref") === "string";
  return Object.entries(plainOf(isReference ? files.follow(written) : written));
}

/**
 * Merges a schema with the parts of its `allOf`, and with the only alternative of its `oneOf` or
 * `anyOf` besides null. A value fits all of them.
 */
function merged(
  found: Plain,
  name: string | undefined,
  ownProperties: readonly (readonly [key: string, schema: unknown])[],
  read: (node: unknown) => Schema,
): Schema {
  const alternatives = listOf(member(found, "oneOf") ?? member(found, "anyOf"));
  const real = alternatives.filter((alternative) => !isNull(read(alternative)));
  const isSingle = real.length === 1 && ownProperties.length === 0;
  const parts = [...listOf(member(found, "allOf")), ...(isSingle ? real : [])].map(read);
  const restricting = parts.filter(({ own }) => Object.keys(own).some((key) => !isAnnotation(key)));
  const ownRequired = textsOf(member(found, "required"));
  // A schema with a single reference and a description is the referenced schema.
  const [only] = restricting;
  const isAlone = restricting.length === 1 && ownProperties.length === 0;
  const alone = isAlone && ownRequired.every((key) => only?.required.has(key)) ? only : undefined;
  const named = { identity: alone?.identity ?? found, name: alone?.name ?? name };
  const own = [...parts.map((part) => part.own), found].reduce<Plain>(narrowed, {});
  const properties = new Map<string, unknown>();
  for (const of of [...parts.map((part) => part.properties), ownProperties])
    for (const [key, value] of of) properties.set(key, both(properties.get(key), value));
  const required = new Set([...parts.flatMap((part) => [...part.required]), ...ownRequired]);
  const isOfRequired = properties.size > 0 && real.map(read).every(onlyRequires);
  const isUnion = real.length > 0 && !isSingle && !isOfRequired;
  const values = Array.isArray(own["enum"])
    ? listOf(own["enum"])
    : "const" in own
      ? [own["const"]]
      : undefined;
  return {
    ...named,
    record: isAlone && only ? sameRecord(named.name, only.record) : named,
    kinds: kindsOf(own, properties.size > 0),
    nullable:
      isNullable(found) ||
      real.length < alternatives.length ||
      (isAlone && only?.nullable === true) ||
      (values?.includes(null) ?? false),
    properties,
    required,
    items: own["items"],
    additional: own["additionalProperties"],
    union: isUnion ? real : parts.find((part) => part.union)?.union,
    values: values?.filter((value) => value !== null),
    own,
  };
}

/** The record of a schema with another name. The shortest name is without words such as `response`. */
function sameRecord(name: string | undefined, record: Schema["record"]): Schema["record"] {
  const isShorter = name !== undefined && (record.name === undefined || name.length < record.name.length);
  return isShorter ? { ...record, name } : record;
}

/** Keywords that describe a schema or its use, and don't restrict its values. */
function isAnnotation(key: string): boolean {
  return (
    key.startsWith("x-") ||
    /^(title|description|examples?|deprecated|default|readOnly|writeOnly|nullable|externalDocs|xml)$/.test(
      key,
    )
  );
}

/** Keywords of two schemas whose values fit both. */
function narrowed(a: Plain, b: Plain): Plain {
  const found: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (key === "__proto__") continue;
    const known = a[key];
    found[key] = known === undefined ? value : narrowest(key, known, value);
  }
  return found;
}

function narrowest(key: string, a: unknown, b: unknown): unknown {
  if (key === "enum" && Array.isArray(a) && Array.isArray(b)) {
    const shared = a.filter((value: unknown) => b.includes(value));
    return shared.length > 0 ? shared : b;
  }
  if (typeof a !== "number" || typeof b !== "number") return b;
  if (/^(min|exclusiveMin)/.test(key)) return Math.max(a, b);
  return /^(max|exclusiveMax)/.test(key) ? Math.min(a, b) : b;
}

/** The schema of a property that two merged schemas have. */
function both(a: unknown, b: unknown): unknown {
  return a === undefined || a === b ? b : { allOf: [a, b] };
}

/** `anyOf: [{required: [a]}, {required: [b]}]` next to properties is no union of objects. */
function onlyRequires({ own }: Schema): boolean {
  return Object.keys(own).every((key) => key === "required" || key === "type");
}

function kindsOf(own: Plain, hasProperties: boolean): readonly string[] {
  const type = own["type"];
  const kinds = (typeof type === "string" ? [type] : textsOf(type)).filter((name) => name !== "null");
  return kinds.length === 0 && hasProperties ? ["object"] : kinds;
}

function isNullable(found: Plain): boolean {
  return member(found, "nullable") === true || textsOf(member(found, "type")).includes("null");
}

function isNull(schema: Schema): boolean {
  return schema.own["type"] === "null" || (schema.values?.length === 0 && schema.nullable);
}

const textFormats: ReadonlyMap<string, string> = new Map([
  ["date-time", "timestamp"],
  ["date", "date"],
  ["uuid", "uuid"],
  ["email", "email"],
  ["uri", "uri"],
  ["url", "uri"],
]);

function typeOf(schema: Schema, node: unknown, isOwn: boolean, type: (node: unknown) => Type): Type {
  const { kinds, own } = schema;
  const [kind] = kinds;
  if (schema.union) {
    const union = unionOf(schema.union.map(type), unionNote(schema));
    const isOfObjects = union.kind === "plain" && schema.properties.size > 0;
    return isOfObjects ? { ...union, shared: schema } : union;
  }
  if (kinds.length > 1) {
    if (kinds.includes("object") || kinds.includes("array")) return json(`type ${kinds.join(", ")}`);
    return { kind: "several", of: kinds.map((kind) => ({ kind: "plain", text: plainName(kind) })) };
  }
  if (kind === "array")
    return { kind: "list", of: schema.items === undefined ? json() : nested(type(schema.items)) };
  if (kind === "object") {
    if (schema.properties.size > propertiesMax) return json(`${schema.properties.size} properties`);
    if (schema.properties.size > 0) return { kind: "value", schema, node };
    const of = isPlain(schema.additional) && Object.keys(schema.additional).length > 0;
    return { kind: "map", of: of ? nested(type(schema.additional)) : json() };
  }
  if (schema.values && (kind === "string" || kind === undefined)) return choiceOf(schema.values);
  if (schema.values) return { kind: "plain", text: plainName(kind), note: "enumeration of other than texts" };
  if (kind === "string") return textType(textOf(own["format"]));
  if (kind === "integer" && own["format"] === "int64" && !isOwn)
    return { kind: "plain", text: "integer", note: "int64: beyond 2^53" };
  if (kind === "integer" || kind === "number" || kind === "boolean") return { kind: "plain", text: kind };
  if (kind === "not shown")
    return { kind: "plain", text: kind, note: `example ${textOf(own["example"]) ?? ""}` };
  return json(kind === undefined ? undefined : `type ${kind}`);
}

function json(note?: string): Type {
  return note === undefined ? { kind: "plain", text: "json" } : { kind: "plain", text: "json", note };
}

function plainName(kind: string | undefined): string {
  return kind === "string" || kind === "integer" || kind === "number" || kind === "boolean" ? kind : "json";
}

function textType(format: string | undefined): Type {
  if (format === undefined) return { kind: "plain", text: "string" };
  const text = textFormats.get(format);
  return text === undefined
    ? { kind: "plain", text: "string", note: `format ${format}` }
    : { kind: "plain", text };
}

/** Words with another meaning in a list of values, unless they are quoted. */
const needsQuotes = /[,|']|^\s|\s$|^(not shown|none|silent|tbd|todo|unknown|\?)$|\b(or|and)\b/i;
/** Texts for which a list of texts has no form. */
const unsayable = /^$|["\\`\r\n]/;

function choiceOf(values: readonly unknown[]): Type {
  const texts = [...new Set(values.filter((value) => typeof value === "string"))];
  if (texts.length === 0 || values.some((value) => typeof value !== "string"))
    return { kind: "plain", text: "string", note: "enumeration of other than texts" };
  if (texts.some((text) => unsayable.test(text)) || choiceText(texts).length > 3000)
    return { kind: "plain", text: "string", note: "enumeration that a list of texts can't hold" };
  return { kind: "choice", values: texts };
}

/** `one of open, "on hold, paid"` */
export function choiceText(values: readonly string[]): string {
  const texts = values.map((value) => (needsQuotes.test(value) ? `"${value}"` : value));
  return `one of ${texts.join(", ").replaceAll("|", "\\|")}`;
}

/** What a comment says of a union, with the key that decides between its alternatives. */
export function unionNote({ own }: Schema): string {
  const key = textOf(member(own["discriminator"], "propertyName"));
  return key === undefined ? "oneOf or anyOf" : `oneOf or anyOf by ${key}`;
}

/** A union of types whose values differ in JSON. */
function unionOf(types: readonly Type[], note: string): Type {
  const kinds = types.map((alternative) =>
    alternative.kind === "plain" ? alternative.text : alternative.kind,
  );
  const jsonKinds = new Set(kinds.map((kind) => (isTextForm(kind) ? "string" : kind)));
  const isDistinguishable =
    jsonKinds.size === types.length &&
    types.every(
      (alternative) =>
        alternative.kind === "plain" && alternative.text !== "json" && alternative.note === undefined,
    ) &&
    !(jsonKinds.has("integer") && jsonKinds.has("number"));
  return isDistinguishable ? { kind: "several", of: types.map(inChoice) } : json(note);
}

function isTextForm(name: string): boolean {
  return name === "string" || [...textFormats.values()].includes(name);
}

/** In a choice of types, a text has no form. */
function inChoice(type: Type): Type {
  if (type.kind !== "plain" || type.text === "string" || !isTextForm(type.text)) return type;
  return { kind: "plain", text: "string", note: `a ${type.text} in a choice of types` };
}

/** The element type of a list or a map. */
function nested(type: Type): Type {
  return type.kind === "several" ? json("several types in a list") : type;
}

export interface Bounds {
  readonly rules: readonly string[];
  /** What the rules don't express. */
  readonly notes: readonly string[];
}

/**
 * A bound as the notation has it, with its value. An integer above 0 is at least 1; of a number, an
 * excluded bound is kept in a comment.
 */
function boundOf(own: Plain, key: "minimum" | "maximum", type: string, kept: string[]): number | undefined {
  const exclusive = key === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const included = numberOf(own[key]);
  // In OpenAPI 3.0, a boolean excludes the value of the bound next to it.
  const excluded = own[exclusive] === true ? included : numberOf(own[exclusive]);
  if (excluded === undefined) return included;
  const inward = key === "minimum" ? 1 : -1;
  const nearest = key === "minimum" ? Math.floor(excluded) + 1 : Math.ceil(excluded) - 1;
  const rest = own[exclusive] === true ? undefined : included;
  if (type === "integer") return rest === undefined || (nearest - rest) * inward > 0 ? nearest : rest;
  kept.push(`${exclusive} ${excluded}`);
  return rest;
}

/** Lengths, ranges and patterns of a schema, as rules. */
export function boundsOf(schema: Schema, type: Type): Bounds {
  const { own } = schema;
  const rules: string[] = [];
  const kept: string[] = [];
  const whole = (key: string): number | undefined => {
    const value = numberOf(own[key]);
    return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const span = (word: string, low: number | undefined, high: number | undefined): void => {
    if (low !== undefined && high !== undefined && low > high) kept.push(`${word}${low}..${high}`);
    else if (low !== undefined || high !== undefined) rules.push(`${word}${low ?? ""}..${high ?? ""}`);
  };
  const isText = type.kind === "plain" && type.text === "string";
  if (isText) span("length ", whole("minLength"), whole("maxLength"));
  else if (own["maxLength"] !== undefined || own["minLength"] !== undefined)
    kept.push("minLength, maxLength");
  if (type.kind === "list") span("items ", whole("minItems"), whole("maxItems"));
  if (type.kind === "plain" && (type.text === "integer" || type.text === "number")) {
    const low = boundOf(own, "minimum", type.text, kept);
    const high = boundOf(own, "maximum", type.text, kept);
    const isPlainNumber = (bound: number | undefined) =>
      bound === undefined || /^-?\d+(\.\d+)?$/.test(String(bound));
    if (isPlainNumber(low) && isPlainNumber(high)) span("", low, high);
    else kept.push("minimum, maximum");
  }
  if (type.kind === "list" && own["uniqueItems"] === true) rules.push("distinct");
  const pattern = textOf(own["pattern"]);
  if (pattern !== undefined) {
    const sayable = isText && !/\(\?[=!<]|\\[1-9]|[`\n]/.test(pattern) && pattern.length < 500;
    if (sayable) rules.push(`pattern \`${wholePattern(pattern).replaceAll("|", "\\|")}\``);
    else kept.push(`pattern ${pattern}`);
  }
  if (own["multipleOf"] !== undefined) kept.push(`multipleOf ${String(own["multipleOf"])}`);
  return { rules, notes: kept };
}
