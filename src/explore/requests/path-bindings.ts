/**
 * Path bindings: which field of a record each path parameter selects, where a `Where` states it, as
 * in `this.owner.login == path.owner`.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { chainOf, fieldsOf } from "../stories/chains.ts";
import { referredRecord, resourceNamed } from "./record-keys.ts";

/** A field of a resource, or of a record that it refers to. */
export interface PathBinding {
  readonly resource: string;
  readonly fields: readonly string[];
}

type Records = ReadonlyMap<string, readonly RecordValue[]>;

/** The bindings of an endpoint by parameter. */
export const pathBindings = memoizeBy((endpoint: Endpoint): ReadonlyMap<string, PathBinding> => {
  const found = new Map<string, PathBinding>();
  for (const { resource, where } of endpoint.records)
    for (const { node } of where) collect(node, resource, found);
  if (endpoint.resource !== undefined)
    for (const { node } of endpoint.where) collect(node, endpoint.resource, found);
  return found;
});

function collect(node: Node, resource: string, found: Map<string, PathBinding>): void {
  if (node.op === "and") {
    collect(node.left, resource, found);
    collect(node.right, resource, found);
  }
  if (node.op !== "binary" || node.operator !== "==") return;
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    const [fields, parameter] = [fieldsOf(side, "this"), fieldsOf(other, "path")];
    const [name] = parameter ?? [];
    if (fields && fields.length > 0 && name !== undefined && !found.has(name))
      found.set(name, { resource, fields });
  }
}

/**
 * The fields of records with which other rules compare each parameter, as in
 * `!Index.exists(i, i.uid == path.uid)`. A request with another value may be the valid one.
 */
export const comparedParameters = memoizeBy(
  (endpoint: Endpoint): ReadonlyMap<string, readonly PathBinding[]> => {
    const found = new Map<string, PathBinding[]>();
    for (const { expression } of expressionsIn(endpoint))
      for (const node of nodesWithin(expression.node)) {
        if (node.op !== "binary" || node.operator !== "==") continue;
        for (const [side, other] of [
          [node.left, node.right],
          [node.right, node.left],
        ] as const) {
          const [name] = fieldsOf(other, "path") ?? [];
          const chain = name === undefined ? undefined : chainOf(side);
          const type = chain?.root.op === "local" ? chain.root.type : undefined;
          if (name === undefined || !chain || chain.fields.length === 0 || type?.kind !== "record") continue;
          found.set(name, [...(found.get(name) ?? []), { resource: type.resource, fields: chain.fields }]);
        }
      }
    return found;
  },
);

/** The value of a binding for a record of its resource. Undefined if a reference is empty. */
export function boundValue(
  model: Model,
  records: Records,
  { resource, fields }: PathBinding,
  record: RecordValue,
): unknown {
  const [name, ...rest] = fields;
  if (name === undefined) return record;
  const value = record[name];
  if (rest.length === 0) return value;
  const referred = referredBy(model, resource, name);
  const next = referred && referredRecord(model, records, referred, value);
  return next && boundValue(model, records, { resource: referred, fields: rest }, next);
}

/**
 * A binding of the record that the first field refers to. An endpoint that creates the record has
 * only that one.
 */
export function bindingOfReferred(model: Model, { resource, fields }: PathBinding): PathBinding | undefined {
  const [name = "", ...rest] = fields;
  const referred = referredBy(model, resource, name);
  return referred !== undefined && rest.length > 0 ? { resource: referred, fields: rest } : undefined;
}

/** The resource that a field refers to. */
function referredBy(model: Model, resource: string, field: string): string | undefined {
  const type = resourceNamed(model, resource)?.fields.find(({ name }) => name === field)?.type;
  return type?.kind === "reference" ? type.resource : undefined;
}
