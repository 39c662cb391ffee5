/** Request parameters with the styles in which they are parsed, and bodies in each media type. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { isObject } from "../wire/json-schemas.ts";
import type { Parameter, RequestBody } from "../wire/wire.ts";

export function parameterObject(parameter: Parameter): JsonSchema {
  const { name, in: place, required, description } = parameter;
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === "" ? {} : { description }),
    ...(parameter.mayBeEmpty && place === "query" ? { allowEmptyValue: true } : {}),
    ...styled(parameter),
  };
}

const delimited: Readonly<Record<string, string>> = {
  ",": "form",
  " ": "spaceDelimited",
  "|": "pipeDelimited",
};

function styled({ style, schema, separator, in: place }: Parameter): JsonSchema {
  switch (style) {
    case "json":
      return { content: { "application/json": { schema } } };
    case "rest":
      return { schema, "x-ninefold-style": "rest" };
    case "repeated":
      return { style: "form", explode: true, schema };
    case "object":
      return {
        style: "deepObject",
        explode: true,
        schema,
        ...(isNested(schema) ? { "x-ninefold-style": "brackets" } : {}),
      };
    case "separated": {
      if (place === "header" && separator === ",") return { style: "simple", schema };
      const known = delimited[separator ?? ","];
      return known !== undefined && place === "query"
        ? { style: known, explode: false, schema }
        : { schema: { type: "string" }, "x-ninefold-style": `separated by ${separator}` };
    }
    default:
      return { schema };
  }
}

/** OpenAPI defines `deepObject` for one level; Ninefold continues with brackets. */
function isNested(schema: JsonSchema): boolean {
  const { properties, additionalProperties, anyOf } = schema;
  const inner = [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(isObject(additionalProperties) ? [additionalProperties] : []),
  ];
  if (Array.isArray(anyOf) && anyOf.some((candidate) => isNested(candidate as JsonSchema))) return true;
  return inner.some((candidate) => isObject(candidate) && isStructured(candidate));
}

function isStructured(schema: JsonSchema): boolean {
  const { type, anyOf, $ref } = schema;
  if ($ref !== undefined || type === "object" || type === "array") return true;
  if (Array.isArray(type) && (type.includes("object") || type.includes("array"))) return true;
  return Array.isArray(anyOf) && anyOf.some((candidate) => isStructured(candidate as JsonSchema));
}

export function bodyObject(
  { required, mediaTypes, schema, jsonInForms }: RequestBody,
  examples: JsonSchema,
): JsonSchema {
  const hasExamples = Object.keys(examples).length > 0;
  return {
    ...(required ? { required } : {}),
    content: Object.fromEntries(
      mediaTypes.map(({ type, kind, schema: own }) => [
        type,
        kind === "raw"
          ? { schema: own ?? {} }
          : {
              schema: own ?? schema,
              ...(kind === "form" ? encodingOf(schema, jsonInForms) : {}),
              ...(hasExamples && kind === "json" ? { examples } : {}),
            },
      ]),
    ),
  };
}

/** In a form, objects and lists use brackets, and JSON is a text. */
function encodingOf(schema: JsonSchema, jsonInForms: readonly string[]): JsonSchema {
  const { properties } = schema;
  const encoding = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, property]): [string, JsonSchema][] => {
      if (jsonInForms.includes(name)) return [[name, { contentType: "application/json" }]];
      return isObject(property) && isStructured(property) && property["type"] !== "array"
        ? [[name, { style: "deepObject", explode: true }]]
        : [];
    },
  );
  return encoding.length === 0 ? {} : { encoding: Object.fromEntries(encoding) };
}
