/**
 * Events of a transaction (part 6): created at its end from its changes, and stored with it. So an
 * event is sent if and only if its change is committed.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import { readsName, readsResource } from "../../expressions/analysis/reads.ts";
import type { Frame, ObjectValue, Value } from "../../expressions/value.ts";
import type { EventRow, EventTrigger } from "../../model/model.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import { timedId } from "../../support/timed-id.ts";
import type { NewDelivery } from "../../store/deliveries.ts";
import type { NewEvent } from "../../store/store.ts";
import { contentText, lastValues, type WebhookContent } from "./content.ts";
import { type MakeDeliveryRecord, planDeliveryRecord } from "./delivery-record.ts";
import type { DisabledReceivers } from "./disabled-receivers.ts";
import { type FindRecipients, planRecipients, type Recipient } from "./recipients.ts";
import { planMessages, type WriteMessages } from "./notifications.ts";
import { targetOf } from "./targets.ts";
import { traceparentOf } from "../trace.ts";
import { createJsonWriter, type JsonWriter } from "../evaluation/json-writer.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { recordContext } from "../records/record-context.ts";
import type { Occurrence, TouchedRecord } from "../evaluation/journal.ts";
import { completeChanges } from "../records/complete-changes.ts";
import {
  createEvaluationContext,
  type Evaluate,
  recordDueTime,
  refresh,
  type EvaluationContext,
  setRecord,
  asDeleted,
  withoutOnceValues,
  tagRecords,
  transactionOf,
} from "../evaluation/context.ts";
import { matchesTrigger, isUpdate } from "./triggers.ts";
import { type ReadFields, recordSnapshot, planReadFields } from "./record-snapshot.ts";
import { type ChangesOf, planChanges } from "./changes.ts";
import { type EventRecord, type CreateNotices, type NoticedEvent, planNotices } from "./notices.ts";
import { type PinnedVersion, type PinnedPayloads, planPinnedPayloads } from "./pinned-payloads.ts";

export interface EventPlan {
  readonly row: EventRow;
  readonly triggers: readonly { readonly trigger: EventTrigger; readonly when?: Evaluate }[];
  readonly payload?: JsonWriter;
  readonly recipients?: FindRecipients;
  readonly messages?: WriteMessages;
  /**
   * Whether the condition of the receivers reads the payload. The payload is then written first,
   * and cannot contain the number of receivers.
   */
  readonly payloadFirst: boolean;
  /** Whether an expression reads `event.changes` or `event.sequence`. */
  readonly emitsChanges: boolean;
  readonly emitsSequence: boolean;
  /**
   * Whether the event's records belong to several resources, and each record names its resource.
   */
  readonly distinguishes: boolean;
  readonly changesOf: ChangesOf;
  readonly makeNotices?: CreateNotices;
  readonly makeRecord?: MakeDeliveryRecord;
  /** Present if receivers can pin a version. */
  readonly pinnedPayloads?: PinnedPayloads;
  /** Whether a receiver gets the events of one record in order. */
  readonly inOrder: boolean;
  /** The record fields that streams read. */
  readonly requested: ReadFields;
}

/** An event with its deliveries, before it is stored. */
interface MadeEvent extends NoticedEvent {
  readonly stored: NewEvent;
  readonly recipients: readonly Recipient[];
  /** The stored content of each webhook delivery. */
  readonly contents: readonly WebhookContent[];
  /** The stored text of each notification. */
  readonly messages: readonly string[];
  readonly queue: string | null;
}

/** @param pinned present if receivers can pin a version */
export function planEvents(
  context: PlanContext,
  disabled: DisabledReceivers,
  pinned?: PinnedVersion,
): readonly EventPlan[] {
  const { events } = context.model;
  const makeNotices = planNotices(context);
  const makeRecord = planDeliveryRecord(context);
  const changesOf = planChanges(context);
  const requested = planReadFields(context);
  const messages = planMessages(context);
  const ofMessages = events.notifications.flatMap(({ to, subject, text, when }) =>
    [to, subject, text, when].map((part) => part?.node),
  );
  const readsEvent = (node: Node, member: string) =>
    readsName(node, { name: "event", member }, context.meaning);
  return events.events.map((row) => {
    const condition = targetOf(context.model, row)?.when?.node;
    const reads = (name: string) =>
      makeNotices !== undefined ||
      makeRecord !== undefined ||
      [row.payload?.node, condition, ...ofMessages].some((node) => node && readsEvent(node, name));
    const distinguishes = [row.payload?.node, condition, ...ofMessages].some(
      (node) => node && readsResource(node, context.meaning),
    );
    const recipients = planRecipients(context, row, disabled);
    const pinnedPayloads = row.gap ? undefined : planPinnedPayloads(context, row, pinned);
    return {
      row,
      // An event with a gap is not stored: its log entry would contain a payload that the document
      // does not state.
      triggers: (row.gap ? [] : row.triggers).map((trigger) => ({
        trigger,
        ...(trigger.when ? { when: evaluateOf(context, trigger.when) } : {}),
      })),
      ...(row.payload && !row.gap ? { payload: createJsonWriter(context, row.payload.node) } : {}),
      ...(recipients ? { recipients } : {}),
      ...(messages ? { messages } : {}),
      payloadFirst: condition !== undefined && readsEvent(condition, "payload"),
      emitsChanges: reads("changes"),
      emitsSequence: reads("sequence"),
      distinguishes,
      changesOf,
      ...(makeNotices ? { makeNotices } : {}),
      ...(makeRecord ? { makeRecord } : {}),
      ...(pinnedPayloads ? { pinnedPayloads } : {}),
      inOrder: events.deliveriesInOrder === true,
      requested,
    };
  });
}

/** Stores the events of all occurrences, in their order. */
export function storeEvents(
  context: PlanContext,
  plans: readonly EventPlan[],
  transactionContext: EvaluationContext,
): Awaitable<void> {
  return storeFrom(context, plans, transactionContext, 0);
}

/** @param from the index of the first occurrence without events */
function storeFrom(
  context: PlanContext,
  plans: readonly EventPlan[],
  transactionContext: EvaluationContext,
  from: number,
): Awaitable<void> {
  const { work } = transactionContext;
  const { occurrences } = work.journal;
  const matches = matchesOf(context, plans, from === 0 ? occurrences : occurrences.slice(from));
  if (matches.length === 0) return;
  const facts = occurrences.length;
  // `shown once` values are in the response, and in no event.
  const evaluation: EvaluationContext = { ...transactionContext, work: withoutOnceValues(work) };
  const events: MadeEvent[] = [];
  const making = after(firstSequence(matches, evaluation), (sequence) =>
    forEachInOrder(matches, (match) => {
      const number = sequence === null ? null : sequence + events.length;
      return after(eventOf(context, match, evaluation, number), (event) => {
        if (event) events.push(event);
      });
    }),
  );
  const kept = after(making, () => {
    if (events.length > 0) return keep(context, events, evaluation, nonNull(plans[0]));
  });
  return after(kept, () => {
    recordDueTime(work, evaluation.work.earliestDueMs);
    if (occurrences.length === facts) return;
    // Delivery and notice records are changes too. Their consequences and events belong to the same
    // transaction.
    return after(completeChanges(context, transactionContext), () => {
      refresh(transactionContext);
      return storeFrom(context, plans, transactionContext, facts);
    });
  });
}

/** An occurrence, and an event that may report it. */
interface Match {
  readonly plan: EventPlan;
  readonly occurrence: Occurrence;
  /** The row's triggers that match the occurrence. */
  readonly triggers: EventPlan["triggers"];
}

function matchesOf(
  context: PlanContext,
  plans: readonly EventPlan[],
  occurrences: readonly Occurrence[],
): readonly Match[] {
  const matches: Match[] = [];
  let updated: Set<TouchedRecord> | undefined;
  for (const occurrence of occurrences) {
    const { touched } = occurrence;
    let isEmitted: boolean | undefined;
    // The engine evaluates this only if an event reports updates.
    const emitsUpdate = (): boolean => {
      if (isEmitted !== undefined) return isEmitted;
      isEmitted = occurrence.kind === "updated" && !updated?.has(touched) && isUpdate(context, touched);
      if (isEmitted) updated = (updated ?? new Set()).add(touched);
      return isEmitted;
    };
    for (const plan of plans) {
      const triggers = matchingTriggers(context, plan, occurrence, emitsUpdate);
      if (triggers) matches.push({ plan, occurrence, triggers });
    }
  }
  return matches;
}

/**
 * Returns the sequence number of the first of these events; null unless an event contains its own
 * number.
 */
function firstSequence(matches: readonly Match[], evaluation: EvaluationContext): Awaitable<number | null> {
  return matches.some(({ plan }) => plan.emitsSequence)
    ? transactionOf(evaluation).system.nextSequence()
    : null;
}

/** Stores the events, with their deliveries and notices. */
function keep(
  context: PlanContext,
  events: readonly MadeEvent[],
  evaluation: EvaluationContext,
  plan: EventPlan,
): Awaitable<void> {
  const { journal } = evaluation.work;
  const isSent = events.some(({ recipients, messages }) => recipients.length + messages.length > 0);
  const sequences = transactionOf(evaluation).system.appendEvents(events.map((event) => event.stored));
  journal.noteEvents(sequences);
  const sent = isSent ? addDeliveries(context, events, sequences, evaluation, plan) : undefined;
  return plan.makeNotices ? after(sent, () => plan.makeNotices?.(events, evaluation)) : sent;
}

async function addDeliveries(
  context: PlanContext,
  events: readonly MadeEvent[],
  sequences: readonly number[],
  evaluation: EvaluationContext,
  plan: EventPlan,
): Promise<void> {
  const createdAt = Date.parse(evaluation.frame.now);
  const deliveries: NewDelivery[] = [];
  const trace = evaluation.work.trace && traceparentOf(evaluation.work.trace);
  for (const [at, { stored, recipients, contents, messages, queue, ...facts }] of events.entries()) {
    for (const [to, { resource, record: receiver }] of recipients.entries()) {
      const content = contents[to] ?? {};
      const kept = trace ? { ...content, trace } : content;
      const id = newId(context, "dlv", evaluation.frame);
      deliveries.push({
        id,
        channel: "webhook",
        event: { sequences, at },
        resource,
        row: receiver["#row"],
        revision: receiver["#revision"],
        content: contentText(kept),
        queue,
        createdAt,
        // The deletion of a webhook clears references to it.
        record:
          plan.makeRecord && !content.record
            ? await plan.makeRecord(
                { ...facts, id, event: sentEvent(facts.event, content), resource, receiver },
                evaluation,
              )
            : null,
      });
    }
    for (const content of messages) {
      const { resource, row } = stored;
      const made = { event: { sequences, at }, resource, row, content, queue, createdAt, record: null };
      deliveries.push({ id: newId(context, "dlv", evaluation.frame), channel: "email", ...made });
    }
  }
  await transactionOf(evaluation).system.deliveries.add(deliveries);
}

/** Returns the event that the receiver sees. */
function sentEvent(event: Value, { payload }: WebhookContent): Value {
  return payload === undefined ? event : { ...(event as ObjectValue), payload: JSON.parse(payload) };
}

function newId({ ports }: PlanContext, prefix: "evt" | "dlv", { now }: Frame): string {
  return timedId(prefix, Date.parse(now), (count) => ports.randomBytes(count));
}

/**
 * Returns the triggers that match this change; undefined if there are none, as for most changes.
 */
function matchingTriggers(
  context: PlanContext,
  plan: EventPlan,
  occurrence: Occurrence,
  emitsUpdate: () => boolean,
): EventPlan["triggers"] | undefined {
  const { name } = plan.row;
  if (!plan.triggers.some(({ trigger }) => matchesTrigger(context, trigger, occurrence, emitsUpdate, name)))
    return undefined;
  return plan.triggers.filter(({ trigger }) =>
    matchesTrigger(context, trigger, occurrence, emitsUpdate, name),
  );
}

function eventOf(
  context: PlanContext,
  { plan, occurrence, triggers }: Match,
  evaluation: EvaluationContext,
  sequence: number | null,
): Awaitable<MadeEvent | undefined> {
  const { touched } = occurrence;
  const last = touched.before ?? occurrence.old;
  const record = touched.after ?? (last && asDeleted(last));
  // A `send` effect may have no current record, in an endpoint that only responds.
  if (!record && occurrence.kind !== "sent") return undefined;
  const subject = record ? { resource: context.resource(touched.resource), record } : null;
  const inner = subject
    ? recordContext(evaluation, subject.resource, subject.record, { caller: occurrence.caller })
    : createEvaluationContext(evaluation.work, {
        ...evaluation.frame,
        this: null,
        old: null,
        caller: occurrence.caller,
      });
  const holdsFrom = (at: number): Awaitable<boolean> => {
    const plan = triggers[at];
    if (!plan) return false;
    const before = plan.trigger.kind === "updated" ? touched.before : occurrence.old;
    if (subject) setRecord(inner, "old", subject.resource.name, before);
    return after(plan.when ? plan.when(inner) : true, (holds) => holds === true || holdsFrom(at + 1));
  };
  return after(holdsFrom(0), (holds) => {
    if (!holds) return undefined;
    context.observer?.(plan.row, true);
    if (plan.distinguishes) tagRecords(inner);
    return newEvent(context, plan, subject, touched, inner, sequence);
  });
}

const noRecipients: readonly Recipient[] = [];

function newEvent(
  context: PlanContext,
  plan: EventPlan,
  about: EventRecord | null,
  touched: TouchedRecord,
  evaluation: EvaluationContext,
  sequence: number | null,
): Awaitable<MadeEvent> {
  const { frame } = evaluation;
  const id = newId(context, "evt", frame);
  const subject = about && subjectOf(about);
  const time = frame.now;
  const type = plan.row.name;
  const changes = plan.emitsChanges ? plan.changesOf(touched, frame) : {};
  const serialize = (payload: Value, deliveries: number | null) =>
    (frame.event = { id, type, time, subject, sequence, changes, payload, deliveries } as Value);
  const write = () => (plan.payload ? plan.payload(evaluation) : "null");
  const made = (payload: string, recipients: readonly Recipient[]): Awaitable<MadeEvent> => {
    const event =
      plan.makeNotices || plan.makeRecord || plan.messages
        ? serialize(JSON.parse(payload) as Value, recipients.length)
        : null;
    const stored: NewEvent = {
      id,
      type,
      time,
      resource: about?.resource.name ?? "",
      row: about?.record["#row"] ?? 0,
      subject: subject ?? "",
      payload,
      record: about && recordSnapshot(about.record, plan.requested(type, about.resource.name)),
    };
    const queue = plan.inOrder && about ? `${about.resource.name} ${about.record["#row"]}` : null;
    const { caller } = frame;
    const there = about && touched.after ? { resource: about.resource, record: touched.after } : null;
    if (recipients.length === 0 && !plan.messages)
      return { stored, recipients, contents: [], messages: [], queue, event, caller, about: there };
    return after(contentsOf(plan, about, recipients, touched, evaluation), (contents) =>
      after(plan.messages ? plan.messages(evaluation) : [], (messages) => ({
        stored,
        recipients,
        contents,
        messages,
        queue,
        event,
        caller,
        about: there,
      })),
    );
  };
  serialize(null, null);
  return after(plan.payloadFirst ? write() : undefined, (first) => {
    if (first !== undefined) serialize(JSON.parse(first) as Value, null);
    return after(plan.recipients ? plan.recipients(evaluation) : noRecipients, (recipients) => {
      serialize(null, recipients.length);
      return after(first ?? write(), (payload) => made(payload, recipients));
    });
  });
}

/**
 * Returns the content of each delivery: the payload in its receiver's version, and the receiver's
 * record if the event reports its deletion.
 */
async function contentsOf(
  plan: EventPlan,
  about: EventRecord | null,
  recipients: readonly Recipient[],
  touched: TouchedRecord,
  evaluation: EvaluationContext,
): Promise<readonly WebhookContent[]> {
  if (recipients.length === 0) return [];
  const payloads = (await plan.pinnedPayloads?.(recipients, touched, evaluation)) ?? [];
  return recipients.map(({ resource, record }, at) => {
    const payload = payloads[at];
    const isGone =
      touched.after === null && resource === about?.resource.name && record["#row"] === touched.row;
    return {
      ...(payload === undefined ? {} : { payload }),
      ...(about && isGone ? { record: lastValues(record, about.resource) } : {}),
    };
  });
}

function subjectOf({ resource, record }: EventRecord): string {
  return resource.nameOf(record);
}
