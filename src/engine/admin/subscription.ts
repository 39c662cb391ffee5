/**
 * Subscriptions: what the document requires of a webhook's record so that it receives events. These
 * are its address, its event names, and the fields that the condition compares with the event's
 * record (`hook.shop == this.shop`).
 */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import { conjuncts } from "../../expressions/nodes.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Json } from "../../support/json.ts";
import { type Target, targetOf } from "../events/targets.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { recordContext } from "../records/record-context.ts";
import { createEvaluationContext } from "../evaluation/context.ts";
import { wireIdentifier } from "../records/stored-form.ts";
import type { Service } from "../service.ts";
import { eventNames, fieldOf, receiverVariable } from "./event-names.ts";
import { identifierText } from "./identifier.ts";
import { pageOfRecords } from "./list-records.ts";
import { frameOf } from "./prepared-queries.ts";

export interface Subscription {
  readonly resource: string;
  /** Values in the format that an operator sends. */
  readonly fields: Readonly<Record<string, Json>>;
  /**
   * Fields that the condition compares and whose values are unknown: without them the record
   * receives no event.
   */
  readonly lacks: readonly string[];
}

/** The event that the record is to receive. */
export interface SubscribedEvent {
  readonly type: string;
  /** The record of the event; null if it was deleted. */
  readonly record: { readonly resource: string; readonly value: RecordValue } | null;
}

/**
 * Returns the target of events. Returns undefined if there is none, or if it is the event's own
 * record, because such a record isn't a subscription.
 */
export function subscribable({ model }: Service, type?: string): Target | undefined {
  const rows = model.events.events.filter(({ name }) => type === undefined || name === type);
  for (const row of rows) {
    const target = targetOf(model, row);
    if (target && !row.triggers.some(({ resource }) => resource === target.resource)) return target;
  }
  return undefined;
}

/**
 * Returns the fields of a new subscription.
 * @param event if absent, values that are compared with its record are unknown, unless only one
 * such record exists
 */
export async function subscription(
  service: Service,
  target: Target,
  address: string,
  event?: SubscribedEvent,
): Promise<Subscription> {
  const { resource } = target;
  const plan = service.internals.context.resource(resource);
  const fields: Record<string, Json> = {};
  const lacks: string[] = [];
  for (const [place, names] of eventNames(service)) {
    const [of, field] = place.split(".") as [string, string];
    if (of === resource) fields[field] = [...names];
  }
  for (const { field, with: otherSide } of compared(service, target)) {
    const type = plan.fields.get(field)?.type;
    const value =
      type && ((await comparedValue(service, type, otherSide, event)) ?? (await onlyOne(service, type)));
    if (value === undefined) lacks.push(field);
    else fields[field] = value;
  }
  const [first = "", ...parts] = target.address.split(".");
  fields[first] = parts.reduceRight<Json>((within, name) => ({ [name]: within }), address);
  return { resource, fields, lacks };
}

interface Compared {
  readonly field: string;
  /** The required value: read from the event, or `true`. */
  readonly with: Node;
}

/**
 * Returns the conditions that must hold for every event: `hook.shop == this.shop`, `hook.active`.
 */
function compared({ internals: { context } }: Service, target: Target): readonly Compared[] {
  const name = receiverVariable(context, target);
  return (target.when ? conjuncts(target.when.node) : []).flatMap((node): readonly Compared[] => {
    const own = fieldOf(node, name);
    if (own !== undefined) return [{ field: own, with: { op: "literal", value: true, type: node.type } }];
    if (node.op !== "binary" || node.operator !== "==") return [];
    const left = fieldOf(node.left, name);
    if (left !== undefined) return [{ field: left, with: node.right }];
    const right = fieldOf(node.right, name);
    return right === undefined ? [] : [{ field: right, with: node.left }];
  });
}

async function comparedValue(
  service: Service,
  type: FieldType,
  node: Node,
  event: SubscribedEvent | undefined,
): Promise<Json | undefined> {
  if (node.op === "literal") return node.value;
  if (!event?.record) return undefined;
  const { context, newWork } = service.internals;
  const { resource, value } = event.record;
  const evaluation = createEvaluationContext(newWork(), { ...frameOf(service), event: { type: event.type } });
  const found: Value = await evaluateOf(
    context,
    node,
  )(recordContext(evaluation, context.resource(resource), value));
  if (found === null || found instanceof Uint8Array) return undefined;
  return (type.kind === "reference" ? wireIdentifier(context, type.resource, found) : found) as Json;
}

/** Returns the only record that a reference can refer to, if there is only one. */
async function onlyOne(service: Service, type: FieldType): Promise<Json | undefined> {
  if (type.kind !== "reference") return undefined;
  const { records } = await pageOfRecords(service, { resource: type.resource, filters: [] }, { limit: 2 });
  const { identifier } = service.internals.context.resource(type.resource);
  const [record, second] = records;
  if (!record || second || identifier.length !== 1) return undefined;
  return record.fields[nonNull(identifier[0])] ?? identifierText(record.id) ?? undefined;
}
