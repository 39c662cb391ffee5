/**
 * JSON Schema 2020-12 of a field: the schema of its type with the keywords of its rules. The caller
 * names the resources in the written document; nothing here depends on OpenAPI.
 */
import type { Json } from "../support/json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import { ruleApplies, ruleSchema } from "./rules/index.ts";
import type { FieldType } from "./type.ts";
import { rulesOfAlternative } from "./types/either.ts";
import { type ReadForm, scalarTypes } from "./types/index.ts";

export interface SchemaContext extends ReadForm {
  /** An embedded value, mostly a `$ref`. */
  value(resource: string): JsonSchema;
  /** The identifier of a record. */
  reference(resource: string): JsonSchema;
}

export function fieldSchema(
  type: FieldType,
  rules: readonly FieldRule[],
  context: SchemaContext,
): JsonSchema {
  const either = type.kind === "json" ? type.either : undefined;
  const keywords = rules.filter((rule) => ruleApplies(rule, type)).map((rule) => ruleSchema(rule, type));
  const bare = either
    ? {
        anyOf: either.map((fieldType) =>
          fieldSchema(fieldType, rulesOfAlternative(rules, fieldType), context),
        ),
      }
    : typeSchema(type, context);
  const schema = keywords.reduce(merged, bare);
  return hasRule(rules, "nullable") ? nullable(schema) : schema;
}

function typeSchema(type: FieldType, context: SchemaContext): JsonSchema {
  switch (type.kind) {
    case "enum":
      return { type: "string", enum: type.values };
    case "state":
      return { type: "string", enum: type.states };
    case "list":
      return { type: "array", items: fieldSchema(type.of, [], context) };
    case "map":
      return { type: "object", additionalProperties: fieldSchema(type.of, [], context) };
    case "object":
      return objectSchema(type.parts, context);
    case "value":
      return context.value(type.resource);
    case "reference":
      return context.reference(type.resource);
    case "file":
      return { type: "string", format: "binary" };
    case "not shown":
      return {};
    default:
      return scalarTypes[type.kind].schema(context);
  }
}

/** Members with their schemas, and which of them are required. */
function objectSchema(
  parts: readonly { readonly name: string; readonly type: FieldType; readonly rules: readonly FieldRule[] }[],
  context: SchemaContext,
): JsonSchema {
  const required = parts.filter((part) => hasRule(part.rules, "required")).map((part) => part.name);
  return {
    type: "object",
    properties: Object.fromEntries(
      parts.map((part) => [part.name, fieldSchema(part.type, part.rules, context)]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

/**
 * Keywords with a schema (`items`) are merged. Of two bounds the narrower applies, because both are
 * checked; of other keywords the last one.
 */
function merged(schema: JsonSchema, more: JsonSchema): JsonSchema {
  const result: Record<string, Json> = { ...schema };
  for (const [keyword, value] of Object.entries(more)) {
    const before = result[keyword];
    result[keyword] =
      isSchema(before) && isSchema(value) ? merged(before, value) : narrower(keyword, before, value);
  }
  return result;
}

function narrower(keyword: string, before: Json | undefined, value: Json): Json {
  if (typeof before !== "number" || typeof value !== "number") return value;
  if (keyword.startsWith("min")) return Math.max(before, value);
  return keyword.startsWith("max") ? Math.min(before, value) : value;
}

function isSchema(json: Json | undefined): json is JsonSchema {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (typeof type !== "string")
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };
  const values = schema["enum"];
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}
