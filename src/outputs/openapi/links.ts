/** Links from a created resource to the operation that reads it, for clients to follow. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { identifierFields } from "../../model/meaning.ts";
import { isObject, refName } from "../wire/json-schemas.ts";
import type { Operation, Wire } from "../wire/wire.ts";
import { mayCreate } from "../../model/endpoints/does.ts";

export function linksOf(wire: Wire, operation: Operation, status: number): JsonSchema {
  const { endpoint } = operation;
  const makes = endpoint.does.some(mayCreate);
  const resource = wire.resources.find((wireResource) => wireResource.name === endpoint.resource)?.resource;
  const schema = operation.answers.find((answer) => answer.status === status)?.content?.schema;
  if (!makes || !resource || !schema) return {};
  const read = wire.operations.find((candidate) => isReadOf(candidate, resource.name));
  const parameters = read && parametersOf(wire, operation, read, schema, identifierFields(resource));
  return parameters ? { [read.id]: { operationId: read.id, parameters } } : {};
}

function isReadOf({ endpoint, gap }: Operation, resource: string): boolean {
  return (
    !gap && endpoint.does.length === 1 && endpoint.does[0]?.kind === "read" && endpoint.resource === resource
  );
}

/** Undefined where neither the response nor the request has some parameter of the path. */
function parametersOf(
  wire: Wire,
  made: Operation,
  read: Operation,
  schema: JsonSchema,
  identifier: readonly string[],
): JsonSchema | undefined {
  const found: Record<string, string> = {};
  for (const parameter of read.parameters) {
    if (parameter.in !== "path") continue;
    const { name } = parameter;
    const record = read.endpoint.records.find((pathRecord) => pathRecord.by?.parameter === name);
    const isOwn = record?.target === true && identifier.includes(record.by?.field ?? "");
    const key = isOwn ? keyOf(wire, schema, record.by?.field as string) : undefined;
    if (key !== undefined) found[`path.${name}`] = `$response.body#/${key}`;
    else if (made.parameters.some((candidate) => candidate.in === "path" && candidate.name === name))
      found[`path.${name}`] = `$request.path.${name}`;
    else return undefined;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/**
 * The path of a field in a response: at the top level, or within the one key that wraps the record.
 */
function keyOf(wire: Wire, schema: JsonSchema, field: string): string | undefined {
  const open = (jsonSchema: JsonSchema): JsonSchema => wire.schemas[refName(jsonSchema) ?? ""] ?? jsonSchema;
  const properties = open(schema)["properties"];
  if (!isObject(properties)) return undefined;
  if (Object.hasOwn(properties, field)) return field;
  const [[wrapper, inner] = [], ...others] = Object.entries(properties);
  const within =
    wrapper !== undefined && others.length === 0 && isObject(inner) ? open(inner)["properties"] : undefined;
  return isObject(within) && Object.hasOwn(within, field) ? `${wrapper}/${field}` : undefined;
}
