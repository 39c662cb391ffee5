/** Small models for tests of the store: only what a store reads of a model, the rest empty. */
import type { Expression, Node } from "../expressions/node.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { FieldType, PlainType } from "../fields/type.ts";
import type { Endpoint, Field, Identifier, Model, Resource, StoredChange } from "../model/model.ts";
import type { Position } from "../source/source.ts";

const start = { line: 1, column: 1, offset: 0 };
const position: Position = { start, end: start };

export function expression(node: Node, text = ""): Expression {
  return { text, position, node };
}

export function literalNode(value: string | number | boolean | null): Node {
  return { op: "literal", value, type: { kind: "string" } };
}

/** `this.name` */
export function fieldOfThis(name: string): Node {
  return {
    op: "field",
    name,
    of: { op: "fixed", name: "this", type: { kind: "any" } },
    type: { kind: "string" },
  };
}

export function equal(left: Node, right: Node): Node {
  return { op: "binary", operator: "==", left, right, type: { kind: "boolean" } };
}

export interface FieldOptions {
  readonly rules?: readonly FieldRule[];
  readonly role?: Field["role"];
}

export function field(name: string, type: PlainType | FieldType, options: FieldOptions = {}): Field {
  const fieldType = typeof type === "string" ? { kind: type } : type;
  return {
    name,
    position,
    type: fieldType,
    rules: options.rules ?? [],
    role: options.role ?? "plain",
    meaning: "",
  };
}

/** A resource whose identifier is its field `id`, a string, unless `changes` say otherwise. */
export function resource(name: string, fields: readonly Field[], changes: Partial<Resource> = {}): Resource {
  const identifier: Identifier = changes.identifier ?? { kind: "given", field: "id" };
  const own = identifier.kind === "given" && !fields.some((candidate) => candidate.name === identifier.field);
  return {
    name,
    variableName: name[0]?.toLowerCase() + name.slice(1),
    position,
    prose: "",
    identifier,
    fields: own ? [field("id", "string", { role: "identifier" }), ...fields] : fields,
    unique: [],
    fails: [],
    always: [],
    deleted: "removed",
    called: name.toLowerCase(),
    records: [],
    ...changes,
  };
}

export function model(resources: readonly Resource[], changes: Partial<Model> = {}): Model {
  return {
    file: "test.md",
    text: "",
    name: "Test",
    ledger: [],
    purpose: {},
    scenarios: [],
    resources,
    endpointsPart: { basePath: { text: "", segments: [] } },
    paths: [],
    endpoints: [],
    shapes: [],
    shapeFunctions: [],
    authentication: { none: true, schemes: [], caller: { kind: "null" } },
    events: { events: [], headers: [], headerMaps: [], requests: [], mediaTypes: [], notifications: [] },
    errors: { headers: [], payloadStated: false, rows: [] },
    limits: { rates: [], concurrency: [], bodyBytes: [], timeoutsMs: [], pages: [], stored: [] },
    versioning: { versions: [], storedChanges: [] },
    ...changes,
  };
}

export function endpoint(changes: Partial<Endpoint>): Endpoint {
  return {
    method: "GET",
    path: { text: "/x", segments: [] },
    position,
    prose: "",
    does: [],
    then: [],
    inputs: [],
    records: [],
    where: [],
    allowed: [],
    fails: [],
    lets: [],
    set: [],
    effects: [],
    order: [],
    returns: [],
    headers: [],
    headerMaps: [],
    ...changes,
  };
}

export { position };

/** What a version does to a store that renames a field. */
export function versionRenaming(resource: string, from: string, to: string): StoredChange {
  const renamed = [{ kind: "field" as const, resource, from: [from], to: [to], position }];
  return { name: "2", of: "version", hash: "", renamed, forEach: [], removed: [], position };
}
