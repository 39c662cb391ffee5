/**
 * A sample call of a function with its required arguments, from the document's own examples, or
 * else by their types.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Json } from "../../support/json.ts";
import { fits } from "../wire/schema-match.ts";
import { isObject, refName } from "../wire/json-schemas.ts";
import type { Wire } from "../wire/wire.ts";
import { memberKey } from "../typescript/schema-type.ts";
import type { ClientFunction } from "./client-plan.ts";

export function sampleCall(wire: Wire, clientFunction: ClientFunction): string {
  const { name, path, operation, query, headers } = clientFunction;
  const required = query.filter(({ parameter }) => parameter.required);
  const sent = headers.filter((header) => header.required);
  const members = (
    list: readonly { readonly name: string; readonly parameter: { readonly schema: JsonSchema } }[],
  ) =>
    `{ ${list.map((each) => `${memberKey(each.name)}: ${sampleText(wire, each.parameter.schema)}`).join(", ")} }`;
  const given = [
    ...path.map(({ parameter }) => sampleText(wire, parameter.schema)),
    ...(operation.body ? [bodyText(wire, clientFunction)] : []),
    ...(query.length > 0 ? [required.length > 0 ? members(required) : undefined] : []),
    sent.length > 0
      ? `{ headers: ${members(sent.map((parameter) => ({ name: parameter.name, parameter })))} }`
      : undefined,
  ];
  const last = given.findLastIndex((argument) => argument !== undefined);
  const texts = given.slice(0, last + 1).map((argument) => argument ?? "undefined");
  return `${name}(${["client", ...texts].join(", ")})`;
}

function bodyText(wire: Wire, { operation: { body, examples } }: ClientFunction): string | undefined {
  const kind = body?.mediaTypes[0]?.kind;
  if (!body) return undefined;
  if (kind === "raw") return body.required ? '"…"' : undefined;
  if (kind === "multipart") return "new FormData()";
  const shown = examples.find(
    ({ request, response }) =>
      response.status < 300 && request.body !== undefined && isWhole(request.body, body.schema, wire),
  );
  if (shown) return valueText(shown.request.body ?? null);
  return body.required ? sampleText(wire, body.schema) : undefined;
}

/**
 * Whether the compiler accepts the value: it has no capture of a scenario, and no member that the
 * type lacks.
 */
function isWhole(value: Json, schema: JsonSchema, wire: Wire): boolean {
  return fits(closed(schema, wire, 0), value, wire.schemas) && !JSON.stringify(value).includes("{{");
}

const depthMax = 8;

/** The schema with all members listed and no others allowed. */
function closed(schema: JsonSchema, wire: Wire, depth: number): JsonSchema {
  if (depth > depthMax) return schema;
  const name = refName(schema);
  if (name !== undefined) return closed(wire.schemas[name] ?? {}, wire, depth + 1);
  const inner = (property: Json | undefined): JsonSchema =>
    isObject(property) ? closed(property, wire, depth + 1) : {};
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, property]) => [key, inner(property)]),
          ),
          additionalProperties: false,
        }
      : {}),
    ...(isObject(items) ? { items: inner(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inner) } : {}),
  };
}

/** The smallest value of the schema's type. */
export function sampleText(wire: Wire, schema: JsonSchema, depth = 0): string {
  const name = refName(schema);
  if (depth > depthMax) return "null";
  if (name !== undefined) return sampleText(wire, wire.schemas[name] ?? {}, depth + 1);
  const { type, enum: among, anyOf, oneOf, properties, required } = schema;
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(among)) return JSON.stringify(among[0]);
  for (const choice of [anyOf, oneOf])
    if (Array.isArray(choice)) {
      const inner: Json | undefined = choice[0];
      if (isObject(inner)) return sampleText(wire, inner, depth + 1);
    }
  const [first] = Array.isArray(type) ? type : [type];
  switch (first) {
    case "integer":
    case "number":
      return "1";
    case "boolean":
      return "true";
    case "array":
      return "[]";
    case "null":
      return "null";
    case "object": {
      const needed: readonly Json[] = Array.isArray(required) ? required : [];
      const members = needed.map(String).map((key) => {
        const own = isObject(properties) ? properties[key] : undefined;
        return `${memberKey(key)}: ${sampleText(wire, isObject(own) ? own : {}, depth + 1)}`;
      });
      return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
    }
    default:
      return '"…"';
  }
}

function valueText(json: Json): string {
  return JSON.stringify(json, undefined, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}
