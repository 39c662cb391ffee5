/**
 * Undelivered reason: explains in a sentence why an event, or every event, has no receiver, with
 * the deciding line of the document.
 */
import { partAt, type RecordValue, type Value } from "../../expressions/value.ts";
import type { Position } from "../../source/source.ts";
import { isOwnRecord } from "../events/recipients.ts";
import { type Target, targetOf, targetsOf } from "../events/targets.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { recordContext } from "../records/record-context.ts";
import { createEvaluationContext, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import type { Service } from "../service.ts";
import { receiverVariable } from "./event-names.ts";
import { guardParts } from "../evaluation/guard-parts.ts";
import { countMax, countRecords } from "./list-records.ts";
import { frameOf, preparedQuery } from "./prepared-queries.ts";

export interface NoRecipientReason {
  /** One or two sentences. */
  readonly why: string;
  readonly line: number;
}

/** Maximum number of receivers whose conditions are checked for one event. */
const checkedMax = 100;

/** An event without receivers. */
export interface EventWithoutReceivers {
  readonly type: string;
  readonly id: string;
  readonly time: string;
  readonly subject: string;
  /** The record of the event in its present state; null if it was deleted. */
  readonly record: { readonly resource: string; readonly value: RecordValue } | null;
  readonly payload: unknown;
}

/** Returns why no webhook was ever sent. */
export async function reasonNothingSent(service: Service): Promise<NoRecipientReason> {
  const [target] = targetsOf(service.model);
  if (!target) return noWebhooks(service);
  const { resource, when } = target;
  const line = lineOf(service, target);
  const count = await countRecords(service, { resource, filters: [] });
  if (count === 0) return { why: noRecord(resource), line };
  const many = count === countMax ? `More than ${countMax - 1}` : String(count);
  const are = count === 1 ? "1 record is" : `${many} records are`;
  const condition = when ? `those for which \`${when.text}\` is true` : "them";
  return {
    why: `Webhooks go to ${resource}. ${are} stored; an event is sent to ${condition}. No event has had a receiver so far; each event shows the reason.`,
    line,
  };
}

/**
 * Returns why an event has no receiver. It evaluates the present records: their state at the time
 * of the event is unknown.
 */
export async function reasonWithoutRecipients(
  service: Service,
  event: EventWithoutReceivers,
): Promise<NoRecipientReason> {
  const { model } = service;
  const row = model.events.events.find(({ name }) => name === event.type);
  if (!row) return { why: `The document no longer has the event ${event.type}.`, line: 1 };
  const target = targetOf(model, row);
  if (!target)
    return row.to === "none"
      ? { why: `The column \`To\` of ${event.type} is \`none\`, so it has no receiver.`, line: lineAt(row) }
      : noWebhooks(service);
  const line = lineOf(service, target, row.position);
  const subject = subjectOf(service, event);
  if (isOwnRecord(target, row)) return { why: await ownRecord(service, target, subject), line };
  const receivers = await firstRecords(service, target.resource);
  if (receivers.length === 0) return { why: noRecord(target.resource), line };
  if (!subject && target.when)
    return {
      why: `The event's record was deleted, so the reason why \`${target.when.text}\` was false for every receiver is unknown.`,
      line,
    };
  return { why: await noneFits(service, target, receivers, subject), line };
}

function noRecord(resource: string): string {
  return `There is no ${resource}, so events have no receiver.`;
}

function noWebhooks({ model }: Service): NoRecipientReason {
  const entry = model.ledger.find(({ item }) => item === "webhooks");
  const line = entry ? lineAt(entry) : 1;
  if (entry?.answer === "none") return { why: "The document states that there are no webhooks.", line };
  return {
    why: "The document doesn't show who receives events (`Webhooks`), so they are sent to no one.",
    line,
  };
}

function lineOf({ model }: Service, { when }: Target, fallback?: Position): number {
  return (when?.position ?? model.events.webhooks?.position ?? fallback)?.start.line ?? 1;
}

function lineAt({ position }: { readonly position: Position }): number {
  return position.start.line;
}

/** The evaluation context of the event's expressions; undefined if its record was deleted. */
function subjectOf(
  service: Service,
  { record, ...event }: EventWithoutReceivers,
): EvaluationContext | undefined {
  if (!record) return undefined;
  const { context, newWork } = service.internals;
  const delivered = { ...event, sequence: null, changes: {}, deliveries: 0 };
  const evaluation = createEvaluationContext(newWork(), {
    ...frameOf(service),
    event: delivered as EvaluationContext["frame"]["event"],
  });
  return recordContext(evaluation, context.resource(record.resource), record.value);
}

async function ownRecord(
  service: Service,
  target: Target,
  subject: EvaluationContext | undefined,
): Promise<string> {
  const place = `${target.resource}.${target.address}`;
  if (!subject) return `It would go to ${place} of its own record, which was deleted.`;
  const failing = await failingPart(service, target, subject);
  return failing === undefined
    ? `It goes to ${place} of its own record, which was empty.`
    : `It goes to its own record, for which \`${failing}\` is false.`;
}

/** The part of the condition that doesn't hold. */
async function failingPart(
  { internals: { context } }: Service,
  { when }: Target,
  evaluation: EvaluationContext,
): Promise<string | undefined> {
  for (const { text, node } of when ? guardParts(when) : [])
    if ((await evaluateOf(context, node)(evaluation)) !== true) return text;
  return undefined;
}

/** Reads the newest records of a resource. */
async function firstRecords(service: Service, resource: string): Promise<readonly RecordValue[]> {
  const { store } = service.internals.context;
  const query = preparedQuery(service, `receivers ${resource}`, () =>
    store.prepareRecords({ resource, where: [], order: [], newestFirst: true, limited: true }),
  );
  return store.session.records(query, { ...frameOf(service), page: { limit: checkedMax, offset: 0 } });
}

async function noneFits(
  service: Service,
  target: Target,
  receivers: readonly RecordValue[],
  subject: EvaluationContext | undefined,
): Promise<string> {
  const { context } = service.internals;
  const plan = context.resource(target.resource);
  const reasons = new Map<string, number>();
  for (const receiver of receivers) {
    const evaluation = subject ?? createEvaluationContext(service.internals.newWork(), frameOf(service));
    setRecord(evaluation, receiverVariable(context, target), target.resource, receiver);
    const reason = await reasonOf(service, target, receiver, evaluation);
    if (reason === undefined)
      return `${plan.nameOf(receiver)} would receive it now, but didn't match when the event happened.`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const named = [...reasons].map(([reason, count]) =>
    receivers.length === 1 ? reason : `${reason} (${count})`,
  );
  const condition =
    receivers.length === 1
      ? `The only ${target.resource} record doesn't match`
      : `None of ${receivers.length === checkedMax ? `the last ${checkedMax}` : receivers.length} ${target.resource} records matches`;
  return `${condition}: ${named.join(", ")}.`;
}

async function reasonOf(
  service: Service,
  target: Target,
  receiver: RecordValue,
  evaluation: EvaluationContext,
): Promise<string | undefined> {
  if (addressIn(target, receiver) === null) return `its \`${target.address}\` is empty`;
  const failing = await failingPart(service, target, evaluation);
  if (failing !== undefined) return `\`${failing}\` is false`;
  const place = { channel: "webhook", resource: target.resource, row: receiver["#row"] } as const;
  const known = await service.deliveries.receiver(place);
  return known?.disabledRevision === receiver["#revision"]
    ? "it responded with 410, so it receives nothing until its record changes"
    : undefined;
}

function addressIn({ address }: Target, receiver: RecordValue): Value {
  return partAt(receiver, address.split(".")) ?? null;
}
