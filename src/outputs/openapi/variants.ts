/**
 * Discriminated unions: if each of several objects has a distinct text under the same key, that key
 * distinguishes them.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { isObject, mapSchema, refName } from "../wire/json-schemas.ts";
import type { Wire } from "../wire/wire.ts";

/**
 * The schema with `oneOf` and a discriminator instead of every `anyOf` of named objects that a key
 * distinguishes.
 */
export function withVariants(wire: Wire, schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (jsonSchema) => {
    const { anyOf, ...rest } = jsonSchema;
    const names = Array.isArray(anyOf) ? anyOf.map((option) => refName(option as JsonSchema)) : [];
    if (names.length < 2 || !names.every((name) => name !== undefined)) return jsonSchema;
    const key = keysOf(wire, names[0] as string).find((name) => perRecipient(wire, names as string[], name));
    if (key === undefined) return jsonSchema;
    const mapping = Object.fromEntries(
      (names as string[]).map((name) => [constOf(wire, name, key) as string, `#/components/schemas/${name}`]),
    );
    return { ...rest, oneOf: anyOf as readonly JsonSchema[], discriminator: { propertyName: key, mapping } };
  });
}

function keysOf(wire: Wire, name: string): readonly string[] {
  const properties = wire.schemas[name]?.["properties"];
  return isObject(properties) ? Object.keys(properties) : [];
}

function perRecipient(wire: Wire, names: readonly string[], key: string): boolean {
  const texts = names.map((name) => constOf(wire, name, key));
  return texts.every((text) => text !== undefined) && new Set(texts).size === names.length;
}

/** The constant text of the key. */
function constOf(wire: Wire, name: string, key: string): string | undefined {
  const { properties, required } = wire.schemas[name] ?? {};
  const found = isObject(properties) ? properties[key] : undefined;
  const text = isObject(found) ? found["const"] : undefined;
  const isRequired = Array.isArray(required) && (required as readonly unknown[]).includes(key);
  return typeof text === "string" && isRequired ? text : undefined;
}
