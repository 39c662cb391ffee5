/**
 * Sign-in step: gets a token for the caller of a scenario, by the document's own sign-in and the
 * credentials in the scenario.
 */
import { signsIn } from "../../model/endpoints/does.ts";
import { plainRecord } from "../../engine/admin/edit-records.ts";
import type { Service } from "../../engine/service.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { GivenNames } from "./given-names.ts";
import { currentRecord } from "./current-record.ts";

/**
 * The two blocks of the step, which captures `{{token}}`; undefined if the document has no usable
 * sign-in.
 */
export async function signIn(
  service: Service,
  resource: string,
  row: number,
  name: string,
  givens: GivenNames,
): Promise<string | undefined> {
  const {
    model,
    internals: { context },
  } = service;
  const endpoint = model.endpoints.find(
    (endpoint) => endpoint.resource === resource && endpoint.does.some(signsIn),
  );
  const record = await currentRecord(service, resource, row);
  const returned = endpoint?.returns.find(({ kind }) => kind === "expression");
  if (!endpoint || !record || returned?.kind !== "expression") return undefined;
  const at = tokenPath(returned.body.node, context.meaning, []);
  const body = bodyFor(
    endpoint,
    plainRecord(context, context.resource(resource).resource, record) as Json,
    (field) => givens.secretOf(name, field),
  );
  if (!at || !body) return undefined;
  const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const expected = at.reduceRight<Json>((inner, key) => ({ [key]: inner }), "{{token}}");
  return [
    `\`\`\`http\n${endpoint.method} ${base}${endpoint.path.text}\n\n${JSON.stringify(body)}\n\`\`\``,
    `\`\`\`http\nHTTP/1.1 ${returned.status}\n\n${JSON.stringify(expected)}\n\`\`\``,
  ].join("\n\n");
}

function bodyFor(
  { inputs, bodyIn, bodyIs }: Endpoint,
  record: Json,
  secret: (field: string) => string,
): Json | undefined {
  const body: Record<string, Json> = {};
  for (const { name, in: location, sets, type } of inputs) {
    if (location !== "body" || sets === undefined || name.length !== 1) return undefined;
    const value = type.kind === "password" ? secret(sets) : (record as Record<string, Json>)[sets];
    if (value === undefined || value === null) return undefined;
    body[name[0]] = value;
  }
  if (bodyIs !== undefined) return body[bodyIs];
  return bodyIn === undefined ? body : { [bodyIn]: body };
}

/** The path to a token in a response. */
function tokenPath(
  node: Node,
  meaning: Meaning,
  at: readonly string[],
  depth = 0,
): readonly string[] | undefined {
  if (depth > 10) return undefined;
  if (node.op === "call" && node.function === "token") return at;
  if (node.op === "map") {
    for (const { key, value } of node.entries) {
      const found = tokenPath(value, meaning, [...at, key], depth + 1);
      if (found) return found;
    }
    return undefined;
  }
  if (node.op === "shape") {
    const body = meaning.shapeBody(node.shape);
    return body && tokenPath(body, meaning, at, depth + 1);
  }
  if (node.op === "field" && node.of.type.kind === "record") {
    const computed = meaning.computed(node.of.type.resource, node.name);
    if (computed) return tokenPath(computed, meaning, at, depth + 1);
  }
  for (const part of partsOfNode(node)) {
    const found = tokenPath(part, meaning, at, depth + 1);
    if (found) return found;
  }
  return undefined;
}
