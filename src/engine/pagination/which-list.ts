/**
 * Which list a cursor belongs to, to the letter: the endpoint, the path that was asked, the order, all that was sent of what filters, and
 * whose list it is. With anything else a cursor would go on from a place that the list doesn't have.
 */
import type { Node } from "../../expressions/node.ts";
import { pieceReads, readsName } from "../../expressions/reads.ts";
import { isObject, partAt, type Value } from "../../expressions/value.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { planWhoseList } from "./whose-list.ts";

/** Names the list that a request asks for, in an order. */
export type WhichList = (request: RequestContext, order: string) => string;

export function planWhichList(
  context: PlanContext,
  endpoint: Endpoint,
  conditions: readonly Node[],
): WhichList {
  const whose = planWhoseList(conditions, context.meaning.vocabulary);
  const filtering = endpoint.inputs.filter(
    (input) => input.in !== "path" && filters(context, endpoint, input),
  );
  return (request, order) => {
    const sent = filtering.map((input) => sentFor(request, input));
    const filtered = sent.some((one) => one !== undefined) ? JSON.stringify(sent) : "";
    const path = Object.values(request.parameters);
    const asked = path.length > 0 ? JSON.stringify(path) : "";
    return `${endpoint.method} ${endpoint.path.text}${asked} ${order} ${whose(request.evaluation.frame)}${filtered}`;
  };
}

/** Whether the input decides which records there are, by itself or in a condition of the list. */
function filters({ meaning }: PlanContext, endpoint: Endpoint, { filter, in: place, name }: Input): boolean {
  if (filter) return true;
  const member = place === "header" ? name[0].toLowerCase() : name[0];
  const read = { name: place === "header" ? "headers" : place, ...(member ? { member } : {}) } as const;
  return (
    endpoint.where.some((one) => readsName(one.node, read, meaning)) ||
    pieceReads(endpoint.order, read, meaning)
  );
}

/** As it was sent, before what is meant by default is put in its place: that may be another at each request. */
function sentFor({ inputs }: RequestContext, { in: place, name, filter }: Input): Value | undefined {
  const [first = "", ...rest] = name;
  const whole = place === "header" ? inputs.headers : inputs[place];
  if (filter?.kind === "range" && rest.length === 0) {
    // The bounds of a range stand under names of their own, `created[gt]`.
    const bounds = Object.entries(isObject(whole) ? whole : {}).filter(
      ([key]) => key === first || key.startsWith(`${first}[`),
    );
    return bounds.length === 0 ? undefined : Object.fromEntries(bounds);
  }
  return partAt(whole, [place === "header" ? first.toLowerCase() : first, ...rest]);
}
