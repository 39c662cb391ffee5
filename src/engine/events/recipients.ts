/**
 * Recipients of an event: one query for each event over the records of the webhooks' resource, in
 * the transaction of the change. The engine evaluates the part of the condition that SQL cannot
 * express on the records found.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import { conjuncts } from "../../expressions/nodes.ts";
import { readsName } from "../../expressions/analysis/reads.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { types } from "../../expressions/type.ts";
import type { EventRow, Model } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import { SmallMap } from "../../support/small-map.ts";
import { operatorCeilings } from "../defaults.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { equalsNode, fieldNode, mapChildren, thisOf } from "../evaluation/nodes.ts";
import { Problem } from "../problem.ts";
import { type Evaluate, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import type { DisabledReceivers } from "./disabled-receivers.ts";
import { type Target, targetOf } from "./targets.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";

export interface Recipient {
  readonly resource: string;
  readonly record: RecordValue;
}

/** Evaluated in the context of the event's record, with `event` in its frame. */
export type FindRecipients = (evaluation: EvaluationContext) => Promise<readonly Recipient[]>;

/** Returns undefined if the event has no receivers. */
export function planRecipients(
  context: PlanContext,
  row: EventRow,
  disabled: DisabledReceivers,
): FindRecipients | undefined {
  const target = targetOf(context.model, row);
  if (!target) return undefined;
  const isWanted = (record: RecordValue) =>
    !disabled.has(target.resource, record["#row"], record["#revision"]);
  if (isOwnRecord(target, row)) return planOwnRecord(context, target, isWanted);
  const { requested, left } = split(context, target);
  const query = context.store.prepareRecords({
    resource: target.resource,
    where: [addressIsThere(context, target), ...requested],
    order: [],
    limited: true,
  });
  const max = operatorCeilings.changesMax;
  return async (evaluation) => {
    const { frame } = evaluation;
    const bound = bind(frame, { subject: frame.this });
    bound.page = { limit: max + 1, offset: 0 };
    const found = await evaluation.work.session.records(query, bound);
    if (found.length > max)
      throw new Problem({ condition: "internal", problem: `would notify more than ${max} webhooks` });
    const recipients: Recipient[] = [];
    for (const record of found) {
      if (!isWanted(record)) continue;
      if (left && !(await holdsFor(context.model, target, left, evaluation, record))) continue;
      recipients.push({ resource: target.resource, record });
    }
    return recipients;
  };
}

/**
 * Whether only the event's own record is a receiver: the address is one of its fields, and the
 * condition compares no other record with `this`.
 */
export function isOwnRecord(target: Target, row: EventRow): boolean {
  if (!row.triggers.some((trigger) => trigger.resource === target.resource)) return false;
  return !target.when || !readsName(target.when.node, { name: "this" });
}

function planOwnRecord(
  context: PlanContext,
  target: Target,
  isWanted: (record: RecordValue) => boolean,
): FindRecipients {
  const when = target.when && evaluateOf(context, target.when);
  const address = evaluateOf(context, addressNode(context, target));
  return async (evaluation) => {
    const record = evaluation.frame.this as RecordValue;
    if (!isWanted(record) || (await address(evaluation)) === null) return [];
    if (when && (await when(evaluation)) !== true) return [];
    return [{ resource: target.resource, record }];
  };
}

async function holdsFor(
  model: Model,
  { resource }: Target,
  holds: Evaluate,
  evaluation: EvaluationContext,
  record: RecordValue,
): Promise<boolean> {
  const { variableName } = model.resources.find((candidate) => candidate.name === resource) ?? {
    variableName: resource,
  };
  const frame = {
    ...evaluation.frame,
    named: Object.assign(bareObject<Record<string, Value>>(), evaluation.frame.named),
  };
  const inner: EvaluationContext = { ...evaluation, frame, records: new SmallMap(evaluation.records) };
  setRecord(inner, variableName, resource, record);
  return (await holds(inner)) === true;
}

// ── The condition, evaluated on the webhooks' records ──────────────────────────────────────────

/**
 * Splits the condition. The first part can run in SQL, with `this` as the webhook's record. The
 * second part is unchanged.
 */
function split(
  context: PlanContext,
  target: Target,
): { readonly requested: Node[]; readonly left?: Evaluate } {
  if (!target.when) return { requested: [] };
  const { variableName } = context.model.resources.find((resource) => resource.name === target.resource) ?? {
    variableName: target.resource,
  };
  const requested: Node[] = [];
  const left: Node[] = [];
  for (const conjunct of conjuncts(target.when.node)) {
    const inverted = turnedRound(conjunct, variableName, target.resource);
    if (isQueryable(context, target.resource, inverted)) requested.push(inverted);
    else left.push(conjunct);
  }
  if (left.length === 0) return { requested };
  const rest: Expression = {
    ...target.when,
    node: left.reduce((a, b) => ({ op: "and", left: a, right: b, type: types.boolean })),
  };
  return { requested, left: evaluateOf(context, rest) };
}

function turnedRound(node: Node, variableName: string, resource: string): Node {
  if (node.op === "named" && node.name === variableName) return thisOf(resource);
  if (node.op === "fixed" && node.name === "this") return parameterNode("subject", node.type);
  return mapChildren(node, (part) => turnedRound(part, variableName, resource));
}

function isQueryable({ store }: PlanContext, resource: string, condition: Node): boolean {
  try {
    store.prepareCount({ resource, where: [condition] });
    return true;
  } catch {
    return false;
  }
}

function addressNode({ meaning }: PlanContext, { resource, address }: Target): Node {
  const [first = "", ...rest] = address.split(".");
  const type = meaning.vocabulary.resource(resource)?.fields.get(first)?.type ?? types.any;
  return rest.reduce<Node>(
    (of, name) => fieldNode(of, name, types.any),
    fieldNode(thisOf(resource), first, type),
  );
}

/** Builds the condition that the address is not null: a null address receives nothing. */
function addressIsThere(context: PlanContext, target: Target): Node {
  const there = equalsNode(addressNode(context, target), { op: "literal", value: null, type: types.null });
  return { op: "not", of: there, type: types.boolean };
}
