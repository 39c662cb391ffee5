/** Operations on JSON Schemas: allow null, combine alternatives, follow references. */
import { nonNull } from "../../support/non-null.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Json } from "../../support/json.ts";

const prefix = "#/components/schemas/";

export function refTo(name: string): JsonSchema {
  return { $ref: prefix + name };
}

/** The name that a schema refers to; undefined for a schema without a reference. */
export function refName({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === "string" && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;
}

/**
 * The schema with all references replaced, at any depth. Examples and values in it stay as they
 * are.
 */
export function withRefs(schema: JsonSchema, refOf: (name: string) => string): JsonSchema {
  return mapSchema(schema, (jsonSchema) => {
    const name = refName(jsonSchema);
    return name === undefined ? jsonSchema : { ...jsonSchema, $ref: refOf(name) };
  });
}

/** Names that a schema refers to, at any depth. */
export function refsIn(schema: JsonSchema): ReadonlySet<string> {
  const found = new Set<string>();
  mapSchema(schema, (jsonSchema) => {
    const name = refName(jsonSchema);
    if (name !== undefined) found.add(name);
    return jsonSchema;
  });
  return found;
}

/** Names of all schemas that these refer to, directly and indirectly, in the order of `all`. */
export function reachedFrom(
  schemas: readonly JsonSchema[],
  all: Readonly<Record<string, JsonSchema>>,
): readonly string[] {
  const found = new Set<string>();
  const look = (schema: JsonSchema): void => {
    for (const name of refsIn(schema)) {
      if (found.has(name)) continue;
      found.add(name);
      look(all[name] ?? {});
    }
  };
  schemas.forEach(look);
  return Object.keys(all).filter((name) => found.has(name));
}

/** Keywords whose values are not schemas. */
const values = new Set(["const", "enum", "default", "examples", "required", "type"]);
/** Keywords whose values are schemas by the author's names, which may be equal to keywords. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** Maps every schema within, the innermost first. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const mapped = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (values.has(keyword) || (keyword.startsWith("x-") && keyword !== "x-ninefold-events"))
        return [keyword, value];
      if (maps.has(keyword) && isObject(value))
        return [
          keyword,
          Object.fromEntries(
            Object.entries(value).map(([name, member]) => [
              name,
              isObject(member) ? mapSchema(member, change) : member,
            ]),
          ),
        ];
      if (Array.isArray(value))
        return [keyword, value.map((item: Json) => (isObject(item) ? mapSchema(item, change) : item))];
      return [keyword, isObject(value) ? mapSchema(value, change) : value];
    }),
  );
  return change(mapped);
}

export function isObject(json: Json | undefined): json is JsonSchema {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** One of these texts; any text if the document shows none. */
export function oneOfTexts(texts: readonly string[]): JsonSchema {
  return texts.length === 0 ? { type: "string" } : { type: "string", enum: texts };
}

/** The schema that also allows null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (Object.keys(schema).length === 0 || type === "null") return schema;
  if (Array.isArray(type) && type.includes("null")) return schema;
  if (Array.isArray(schema["anyOf"])) {
    const options = schema["anyOf"] as readonly JsonSchema[];
    const hasNull = options.some((option) => option["type"] === "null" || Object.keys(option).length === 0);
    return hasNull ? schema : { ...schema, anyOf: [...options, { type: "null" }] };
  }
  if (typeof type !== "string" || "const" in schema) return { anyOf: [schema, { type: "null" }] };
  const { enum: among } = schema;
  return { ...schema, type: [type, "null"], ...(Array.isArray(among) ? { enum: [...among, null] } : {}) };
}

/** Any of the schemas, each once; the open schema if one of them is open. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const flat = schemas.flatMap((schema) =>
    Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1
      ? (schema["anyOf"] as readonly JsonSchema[])
      : [schema],
  );
  const byText = new Map(flat.map((jsonSchema) => [JSON.stringify(jsonSchema), jsonSchema]));
  const each = [...byText.values()].filter((option, _at, all) => !isListed(option, all));
  if (each.some((jsonSchema) => Object.keys(jsonSchema).length === 0)) return {};
  if (each.length === 1) return nonNull(each[0]);
  return sameTexts(each) ?? { anyOf: each };
}

/** Whether another of the schemas lists the only value of this one. */
function isListed({ const: only }: JsonSchema, among: readonly JsonSchema[]): boolean {
  return (
    only !== undefined && among.some(({ enum: values }) => Array.isArray(values) && values.includes(only))
  );
}

/** Constant texts are combined into one `enum`. */
function sameTexts(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  const texts = schemas.flatMap((schema) => {
    const keys = Object.keys(schema);
    if (schema["type"] !== "string" || keys.length !== 2) return [];
    if (typeof schema["const"] === "string") return [[schema["const"]]];
    return Array.isArray(schema["enum"]) ? [schema["enum"] as readonly string[]] : [];
  });
  if (schemas.length === 0 || texts.length !== schemas.length) return undefined;
  return { type: "string", enum: [...new Set(texts.flat())] };
}

/** The schema without these of its listed values. */
export function withoutValues(schema: JsonSchema, excluded: readonly Json[]): JsonSchema {
  const { enum: among, "x-enumDescriptions": described } = schema;
  const isLeft = (value: unknown) => !excluded.some((excludedValue) => excludedValue === value);
  const left = Array.isArray(among) ? among.filter(isLeft) : [];
  if (left.length === 0) return schema;
  const words = isObject(described) ? Object.entries(described).filter(([value]) => isLeft(value)) : [];
  return {
    ...schema,
    enum: left,
    ...(words.length === 0 ? {} : { "x-enumDescriptions": Object.fromEntries(words) }),
  };
}

/**
 * The keys of all objects. If two have the same key, the later wins, and the key is certain if
 * either is. After an object with unknown keys, the earlier keys may have any value.
 */
export function mergedObjects(objects: readonly JsonSchema[]): JsonSchema {
  let properties: Record<string, JsonSchema> = {};
  const required = new Set<string>();
  for (const object of objects) {
    const own = new Set((object["required"] ?? []) as readonly string[]);
    const keys = object["properties"];
    if (!isObject(keys)) properties = Object.fromEntries(Object.keys(properties).map((key) => [key, {}]));
    for (const [key, schema] of Object.entries((keys ?? {}) as Record<string, JsonSchema>)) {
      const before = properties[key];
      properties[key] = before && !own.has(key) ? anyOf([before, schema]) : schema;
      if (own.has(key)) required.add(key);
    }
  }
  const isOpen = objects.some(
    (from) => !isObject(from["properties"]) || from["additionalProperties"] === true,
  );
  return {
    type: "object",
    properties,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(isOpen ? { additionalProperties: true } : {}),
  };
}

/** The schema without null; undefined if it didn't allow null. */
export function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  const { type, anyOf: options } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    const rest = (type as readonly string[]).filter((candidate) => candidate !== "null");
    const among = schema["enum"];
    return {
      ...schema,
      type: rest.length === 1 ? nonNull(rest[0]) : rest,
      ...(Array.isArray(among)
        ? { enum: (among as readonly Json[]).filter((candidate) => candidate !== null) }
        : {}),
    };
  }
  if (!Array.isArray(options)) return undefined;
  const rest = (options as readonly JsonSchema[]).filter((option) => option["type"] !== "null");
  return rest.length === options.length ? undefined : { ...anyOf(rest) };
}
