/**
 * JSON Schemas of the wire view as TypeScript types. What a type can't express (bounds, patterns,
 * formats) is in its comment. An open schema is `unknown`.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Json } from "../../support/json.ts";
import { isObject, refName } from "../wire/json-schemas.ts";

/** The type name of a named schema in the file. */
export type NameOf = (schema: string) => string;

const itself: NameOf = (name) => name;

/** `interface Parcel { … }` or `type Id = …`, with its comment; lines end without a break. */
export function declaration(name: string, schema: JsonSchema, nameOf: NameOf = itself): string {
  const comment = commentOf(schema, "");
  const text = typeOf(schema, nameOf);
  return isPlainObject(schema)
    ? `${comment}export interface ${name} ${text}`
    : `${comment}export type ${name} = ${text};`;
}

export function typeOf(schema: JsonSchema, nameOf: NameOf = itself, indent = ""): string {
  const { const: fixed, enum: among, anyOf, oneOf, allOf, type, prefixItems } = schema;
  const name = refName(schema);
  if (name !== undefined) return nameOf(name);
  if (fixed !== undefined) return literal(fixed);
  if (Array.isArray(among)) return unionOf(among.map(literal));
  const options = anyOf ?? oneOf;
  if (Array.isArray(options))
    return unionOf((options as readonly JsonSchema[]).map((option) => typeOf(option, nameOf, indent)));
  if (Array.isArray(allOf))
    return (allOf as readonly JsonSchema[])
      .map((jsonSchema) => inBrackets(typeOf(jsonSchema, nameOf, indent)))
      .join(" & ");
  if (Array.isArray(type))
    return unionOf(type.map((item) => typeOf({ ...schema, type: item }, nameOf, indent)));
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return Array.isArray(prefixItems)
        ? `[${(prefixItems as readonly JsonSchema[]).map((prefixItem) => typeOf(prefixItem, nameOf, indent)).join(", ")}]`
        : `${inBrackets(isObject(schema["items"]) ? typeOf(schema["items"], nameOf, indent) : "unknown")}[]`;
    case "object":
      return objectText(schema, nameOf, indent);
    default:
      return "unknown";
  }
}

/** An object of named members and no others, which an `interface` can express. */
function isPlainObject({ type, properties, additionalProperties }: JsonSchema): boolean {
  return type === "object" && properties !== undefined && !hasOthers(additionalProperties);
}

/**
 * Whether additional members are described, of one type or of any. A schema that doesn't mention
 * them has none that a reader could depend on.
 */
function hasOthers(additionalProperties: Json | undefined): boolean {
  return additionalProperties === true || isObject(additionalProperties);
}

function objectText(schema: JsonSchema, nameOf: NameOf, indent: string): string {
  const { properties = {}, required = [], additionalProperties: additional } = schema;
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  const map = isObject(additional)
    ? `Record<string, ${typeOf(additional, nameOf, indent)}>`
    : "Record<string, unknown>";
  if (members.length === 0) return map;
  const inner = `${indent}  `;
  const lines = members.map(([name, member]) => {
    const mark = (required as readonly string[]).includes(name) ? "" : "?";
    return `${commentOf(member, inner)}${inner}${memberKey(name)}${mark}: ${typeOf(member, nameOf, inner)};\n`;
  });
  const text = `{\n${lines.join("")}${indent}}`;
  return hasOthers(additional) ? `${text} & ${map}` : text;
}

/** The union of several types, each once. */
export function unionOf(types: readonly string[]): string {
  if (types.includes("unknown")) return "unknown";
  return types.length === 0 ? "never" : [...new Set(types)].join(" | ");
}

function inBrackets(type: string): string {
  return /[|&]/.test(outside(type)) ? `(${type})` : type;
}

/** The text without the content of braces, brackets and quotation marks. */
function outside(type: string): string {
  let depth = 0;
  let text = "";
  for (const [piece = ""] of type.matchAll(/"(?:[^"\\]|\\.)*"|[{(<[]|[})>\]]|[^"]/g)) {
    if (/^[{(<[]$/.test(piece)) depth += 1;
    else if (/^[})>\]]$/.test(piece)) depth -= 1;
    else if (depth === 0 && !piece.startsWith('"')) text += piece;
  }
  return text;
}

function literal(value: Json): string {
  return typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value);
}

/** A name as a property or a member: in quotation marks if necessary. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

// ── Comments ────────────────────────────────────────────────────────────────────────────────────

/** Keywords that a type can't express, in the order of the comment. */
const lines = [
  "format",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "default",
] as const;

/**
 * The description and what a type can't express, as a comment before a line with this indent; empty
 * if there is nothing.
 */
function commentOf(schema: JsonSchema, indent: string): string {
  const { description } = schema;
  const bounds = lines.flatMap((keyword) => {
    const value = schema[keyword];
    return value === undefined
      ? []
      : [`${keyword} ${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
  return comment([...(typeof description === "string" ? [description] : []), bounds.join(", ")], indent);
}

/** Lines as a comment with this indent; empty where all lines are empty. */
export function comment(texts: readonly string[], indent: string): string {
  // A text of the document may contain the end of a comment.
  const lines = texts
    .filter((text) => text !== "")
    .flatMap((text) => text.replaceAll("*/", "*\\/").split("\n"));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
