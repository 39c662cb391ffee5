/**
 * Handler results, validated by the document: a stored record of the resource that `Returns`
 * shapes, the data of a value's fields, or a list of either. If no response shapes a result, the
 * engine ignores the result.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { operatorCeilings } from "../defaults.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { HandlerMistake } from "../handler-module.ts";
import { plainReader, toJson } from "./plain.ts";
import type { OpenTransaction } from "./transaction.ts";

export type GivenValue =
  | { readonly kind: "one"; readonly resource: string; readonly value: Value }
  | { readonly kind: "list"; readonly items: readonly Value[] };

export type ReadGiven = (open: OpenTransaction, gift: unknown) => Promise<GivenValue | undefined>;

export function planGiven(context: PlanContext, endpoint: Endpoint): ReadGiven {
  const resource = endpoint.gives;
  if (resource === undefined) return async () => undefined;
  const isValue = context.model.resources.some(
    (candidate) => candidate.name === resource && candidate.identifier.kind === "none",
  );
  const readValue = isValue ? plainReader(context, { kind: "value", resource }) : undefined;
  const givesList = endpoint.returns.some((response) => response.kind === "list");
  const givesOne = endpoint.returns.some((response) => response.kind === "expression");
  const mayBeNothing = endpoint.returns.some(
    (response) => response.kind === "nothing" || response.kind === "error",
  );
  const readOne = async (open: OpenTransaction, gift: unknown, name: string): Promise<Value> => {
    if (!readValue) {
      const record: RecordValue = await open.take(resource, gift);
      return record;
    }
    const json = toJson(gift, (object) => open.known.find(object)?.identifier);
    return readValue(withoutNulls(json), name);
  };
  return async (open, gift) => {
    if (gift === null || gift === undefined) {
      if (mayBeNothing) return { kind: "one", resource, value: null };
      throw new HandlerMistake(`it returned nothing, but the response needs ${resource}`);
    }
    if (!Array.isArray(gift)) {
      if (!givesOne) throw new HandlerMistake(`it returned one ${resource}, but the response is a list`);
      return { kind: "one", resource, value: await readOne(open, gift, resource) };
    }
    if (!givesList) throw new HandlerMistake(`it returned a list, but the response is one ${resource}`);
    if (gift.length > operatorCeilings.pageSizeMax)
      throw new HandlerMistake(`it returned more than ${operatorCeilings.pageSizeMax} elements`);
    const items: Value[] = [];
    for (const [at, item] of gift.entries()) items.push(await readOne(open, item, `${resource}[${at}]`));
    return { kind: "list", items };
  };
}

/** Removes fields that are null: such a field has no value, as if the handler had omitted it. */
function withoutNulls(json: Json): Json {
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) return json.map(withoutNulls);
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)]])),
  );
}
