/** JSON Schemas of the wire as text: the type of a value, and its rules. */
import { nonNull } from "../../support/non-null.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { type Html, html, joinHtml, type Piece } from "./html.ts";
import { inlineCode } from "./highlight.ts";
import { linkTo, type Site } from "./site.ts";

const refPrefix = "#/components/schemas/";

/** The named schema that it refers to, null or not. */
export function refOf(schema: JsonSchema): string | undefined {
  const ref = schema["$ref"];
  if (typeof ref === "string" && ref.startsWith(refPrefix)) return ref.slice(refPrefix.length);
  const some = withoutNull(schema);
  return some === schema ? undefined : refOf(some);
}

/** The schema without null. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  for (const word of ["anyOf", "oneOf"]) {
    const variants = schemasOf(schema[word]);
    const nonNullVariants = variants.filter((variant) => variant["type"] !== "null");
    if (variants.length > nonNullVariants.length && nonNullVariants.length === 1)
      return nonNull(nonNullVariants[0]);
  }
  const type = schema["type"];
  if (!Array.isArray(type) || !type.includes("null")) return schema;
  const types = type.filter((candidate) => candidate !== "null");
  return { ...schema, type: types.length === 1 ? nonNull(types[0]) : types };
}

function isNullable(schema: JsonSchema): boolean {
  const type = schema["type"];
  return (
    (Array.isArray(type) && type.includes("null")) ||
    ["anyOf", "oneOf"].some((word) =>
      schemasOf(schema[word]).some((variant) => variant["type"] === "null" || isNullable(variant)),
    )
  );
}

export function schemasOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export function schemaAt(schema: JsonSchema, word: string): JsonSchema | undefined {
  const value = schema[word];
  return isSchema(value) ? value : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function propertiesOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(schemaAt(schema, "properties") ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isSchema(entry[1]),
  );
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  const required = schema["required"];
  return Array.isArray(required) ? required.filter((candidate) => typeof candidate === "string") : [];
}

/** Whether the words of its type name a schema already: `string or Customer`. */
export function namesSchema(schema: JsonSchema, name: string): boolean {
  const variants = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])];
  return refOf(schema) === name || variants.some((variant) => namesSchema(variant, name));
}

/** `list of Parcel`, `integer or null`. Null is named once, at the end. Resources are linked. */
export function typeWords(site: Site, schema: JsonSchema): Html {
  const words = bareTypeWords(site, withoutNull(schema));
  return isNullable(schema) ? html`${words} or null` : words;
}

const formats: Readonly<Record<string, string>> = { "date-time": "timestamp", uri: "address (URI)" };

function bareTypeWords(site: Site, schema: JsonSchema): Html {
  const ref = refOf(schema);
  if (ref !== undefined) return schemaName(site, ref);
  if ("const" in schema) return html`always ${inlineCode(JSON.stringify(schema["const"]), "json")}`;
  for (const word of ["oneOf", "anyOf"]) {
    const variants = schemasOf(schema[word]).filter((variant) => variant["type"] !== "null");
    if (variants.length > 0)
      return joinHtml(
        variants.map((variant) => bareTypeWords(site, withoutNull(variant))),
        " or ",
      );
  }
  const items = schemaAt(schema, "items");
  if (items) return html`list of ${elementWords(site, items)}`;
  const type = schema["type"];
  const values = schemaAt(schema, "additionalProperties");
  if (type === "object" && values && propertiesOf(schema).length === 0)
    return html`map of ${elementWords(site, values)}`;
  if (Array.isArray(type)) return html`${type.join(" or ")}`;
  const format = schema["format"];
  if (typeof format === "string") return html`${formats[format] ?? format}`;
  return html`${typeof type === "string" ? type : "anything"}`;
}

/** `string (or null)`: the list or the map that has it may be null itself. */
function elementWords(site: Site, schema: JsonSchema): Html {
  const words = bareTypeWords(site, withoutNull(schema));
  return isNullable(schema) ? html`${words} (or null)` : words;
}

function schemaName(site: Site, name: string): Html {
  const owner = site.wire.resources.find((resource) => resource.shown === name || resource.sent === name);
  return owner ? linkTo(site, owner.name, owner.name) : html`${name}`;
}

/** `1 to 120 characters`, `at least 0`, `matches …`: the constraints of a value, one piece each. */
export function boundWords(schema: JsonSchema): readonly Html[] {
  const jsonSchema = withoutNull(schema);
  const between = (minKeyword: string, maxKeyword: string, unit: string): Piece => {
    const [min, max] = [jsonSchema[minKeyword], jsonSchema[maxKeyword]];
    if (min === undefined && max === undefined) return undefined;
    if (min === max) return `exactly ${min}${unit}`;
    if (min === undefined || (min === 0 && max !== undefined && unit !== "")) return `at most ${max}${unit}`;
    return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`;
  };
  const pieces: readonly Piece[] = [
    between("minLength", "maxLength", " characters"),
    between("minimum", "maximum", ""),
    between("exclusiveMinimum", "exclusiveMaximum", " (themselves excluded)"),
    between("minItems", "maxItems", " elements"),
    between("minProperties", "maxProperties", " keys"),
    typeof jsonSchema["pattern"] === "string" && html`matches ${inlineCode(jsonSchema["pattern"])}`,
    jsonSchema["uniqueItems"] === true && "without duplicates",
    "default" in schema && html`default ${inlineCode(JSON.stringify(schema["default"]), "json")}`,
    schema["readOnly"] === true && "read-only",
    schema["writeOnly"] === true && "never returned",
  ];
  return pieces.filter((piece) => piece !== undefined && piece !== false).map((piece) => html`${piece}`);
}

/** The allowed texts, with their meaning. */
export function choicesOf(
  schema: JsonSchema,
): readonly { readonly value: string; readonly meaning?: string }[] {
  const jsonSchema = withoutNull(schema);
  const values = jsonSchema["enum"] ?? schemaAt(jsonSchema, "items")?.["enum"];
  const meanings = schemaAt(jsonSchema, "x-enumDescriptions") ?? {};
  if (!Array.isArray(values)) return [];
  return values
    .filter((value) => value !== null)
    .map((value) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const meaning = meanings[text];
      return { value: text, ...(typeof meaning === "string" ? { meaning } : {}) };
    });
}
