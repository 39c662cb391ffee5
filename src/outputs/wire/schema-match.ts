/**
 * Schema match: whether a value certainly matches one of our own schemas, because only complete
 * examples are exported. A capture of a scenario, `{{parcel}}`, is a text that matches wherever any
 * text does.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { codePoints } from "../../fields/rules/length.ts";
import { compilePattern } from "../../fields/rules/pattern.ts";
import type { Json } from "../../support/json.ts";
import { isObject, refName } from "./json-schemas.ts";

type Named = Readonly<Record<string, JsonSchema>>;

export function fits(schema: JsonSchema, value: Json, named: Named): boolean {
  const name = refName(schema);
  const { anyOf, oneOf } = schema;
  if (name !== undefined && !(named[name] && fits(named[name], value, named))) return false;
  if (Array.isArray(anyOf) && !anyOf.some((candidate) => fits(candidate as JsonSchema, value, named)))
    return false;
  if (
    Array.isArray(oneOf) &&
    oneOf.filter((candidate) => fits(candidate as JsonSchema, value, named)).length !== 1
  )
    return false;
  const { type, enum: among } = schema;
  const types = Array.isArray(type)
    ? (type as readonly string[])
    : typeof type === "string"
      ? [type]
      : undefined;
  if (types && !types.some((candidate) => isOfType(candidate, value))) return false;
  if ("const" in schema && JSON.stringify(schema["const"]) !== JSON.stringify(value)) return false;
  if (Array.isArray(among) && !among.some((candidate) => JSON.stringify(candidate) === JSON.stringify(value)))
    return false;
  if (typeof value === "string") return fitsText(schema, value);
  if (typeof value === "number") return within(schema["minimum"], value, schema["maximum"]);
  if (Array.isArray(value)) return fitsList(schema, value, named);
  return isObject(value) ? fitsObject(schema, value, named) : true;
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function within(min: Json | undefined, value: number, max: Json | undefined): boolean {
  return !(typeof min === "number" && value < min) && !(typeof max === "number" && value > max);
}

function fitsText({ minLength, maxLength, pattern, format }: JsonSchema, text: string): boolean {
  const isOpen = text.includes("{{");
  if (isOpen && (pattern !== undefined || format !== undefined || maxLength !== undefined)) return false;
  if (!within(minLength, codePoints(text), maxLength)) return false;
  if (typeof pattern !== "string") return true;
  const compiled = compilePattern(`(?s:.*)(?:${pattern})(?s:.*)`);
  return "matches" in compiled && compiled.matches(text);
}

function fitsList({ items, minItems, maxItems }: JsonSchema, list: readonly Json[], named: Named): boolean {
  if (!within(minItems, list.length, maxItems)) return false;
  return !isObject(items) || list.every((candidate) => fits(items, candidate, named));
}

function fitsObject(schema: JsonSchema, object: JsonSchema, named: Named): boolean {
  const { properties, required, additionalProperties, propertyNames, minProperties, maxProperties } = schema;
  if (!within(minProperties, Object.keys(object).length, maxProperties)) return false;
  if (Array.isArray(required) && !required.every((key) => Object.hasOwn(object, key as string))) return false;
  const known = isObject(properties) ? properties : {};
  return Object.entries(object).every(([key, value]) => {
    if (isObject(propertyNames) && !fits(propertyNames, key, named)) return false;
    const own = Object.hasOwn(known, key) ? known[key] : additionalProperties;
    return isObject(own) ? fits(own, value, named) : own !== false;
  });
}
