/**
 * List fingerprint: identifies the list that a cursor belongs to by endpoint, path, order, filters
 * and caller scope. The cursor's position is meaningless in any other list.
 */
import type { Node } from "../../expressions/node.ts";
import { pieceReads, readsName } from "../../expressions/analysis/reads.ts";
import { isObject, partAt, type Value } from "../../expressions/value.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { planListScope } from "./list-scope.ts";

/** Returns the fingerprint of the requested list in an order. */
export type ListFingerprint = (request: RequestContext, order: string) => string;

export function planListFingerprint(
  context: PlanContext,
  endpoint: Endpoint,
  conditions: readonly Node[],
): ListFingerprint {
  const scopeOf = planListScope(conditions, context.meaning.vocabulary);
  const filtering = endpoint.inputs.filter(
    (input) => input.in !== "path" && filters(context, endpoint, input),
  );
  return (request, order) => {
    const sent = filtering.map((input) => sentFor(request, input));
    const filtered = sent.some((candidate) => candidate !== undefined) ? JSON.stringify(sent) : "";
    const path = Object.values(request.parameters);
    const requestedPath = path.length > 0 ? JSON.stringify(path) : "";
    return `${endpoint.method} ${endpoint.path.text}${requestedPath} ${order} ${scopeOf(request.evaluation.frame)}${filtered}`;
  };
}

/** Whether the input filters the list, directly or in a condition. */
function filters(
  { meaning }: PlanContext,
  endpoint: Endpoint,
  { filter, in: location, name }: Input,
): boolean {
  if (filter) return true;
  const member = location === "header" ? name[0].toLowerCase() : name[0];
  const read = { name: location === "header" ? "headers" : location, ...(member ? { member } : {}) } as const;
  return (
    endpoint.where.some((expression) => readsName(expression.node, read, meaning)) ||
    pieceReads(endpoint.order, read, meaning)
  );
}

/**
 * Returns the value that the client sent. Defaults are excluded, because they may differ at each
 * request.
 */
function sentFor({ inputs }: RequestContext, { in: location, name, filter }: Input): Value | undefined {
  const [first = "", ...rest] = name;
  const container = location === "header" ? inputs.headers : inputs[location];
  if (filter?.kind === "range" && rest.length === 0) {
    // The bounds of a range have separate names, `created[gt]`.
    const bounds = Object.entries(isObject(container) ? container : {}).filter(
      ([key]) => key === first || key.startsWith(`${first}[`),
    );
    return bounds.length === 0 ? undefined : Object.fromEntries(bounds);
  }
  return partAt(container, [location === "header" ? first.toLowerCase() : first, ...rest]);
}
