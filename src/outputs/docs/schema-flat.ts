/**
 * Schemas without names and choices: references are resolved, and alternatives merged into one
 * object.
 */
import { nonNull } from "../../support/non-null.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Wire } from "../wire/wire.ts";
import { propertiesOf, refOf, requiredOf, schemasOf, withoutNull } from "./schema-words.ts";

/** No document chains this many named schemas, but a circular reference would. */
const stepsMax = 20;

export function resolved(wire: Wire, schema: JsonSchema): JsonSchema {
  let jsonSchema = withoutNull(schema);
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const ref = refOf(jsonSchema);
    const named = ref === undefined ? undefined : wire.schemas[ref];
    if (!named) break;
    jsonSchema = withoutNull(named);
  }
  return jsonSchema;
}

export function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  const alternatives = schemasOf(schema["oneOf"]);
  return alternatives.length > 0 ? alternatives : schemasOf(schema["anyOf"]);
}

const depthMax = 5;

/**
 * Several alternative objects become one with the keys of all; a key that some lack isn't required.
 */
export function flattened(wire: Wire, schema: JsonSchema, depth = 0): JsonSchema {
  const jsonSchema = resolved(wire, schema);
  if (depth > depthMax) return jsonSchema;
  const flat = (list: readonly JsonSchema[]) => list.map((inner) => flattened(wire, inner, depth + 1));
  const every = flat(schemasOf(jsonSchema["allOf"]));
  const some = flat(variantsOf(jsonSchema));
  const choice = some.length > 1 && some.every((inner) => propertiesOf(inner).length > 0) ? some : [];
  if (every.length + choice.length === 0) return jsonSchema;
  const keys = new Map<string, JsonSchema[]>();
  for (const inner of [jsonSchema, ...every, ...choice]) {
    for (const [key, value] of propertiesOf(inner)) keys.set(key, [...(keys.get(key) ?? []), value]);
  }
  const [first = [], ...others] = choice.map(requiredOf);
  const always = first.filter((key) => others.every((required) => required.includes(key)));
  return {
    type: "object",
    properties: Object.fromEntries([...keys].map(([key, values]) => [key, eitherOf(values)])),
    required: [...new Set([...requiredOf(jsonSchema), ...every.flatMap(requiredOf), ...always])],
  };
}

function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? nonNull(different[0]) : { anyOf: different };
}
