/**
 * Delivery records (`Deliveries: kept 3 days`, part 6): each delivery is also a record of
 * `Delivery`, which endpoints list and read like any other. It is created with the event
 * (`delivery-record.ts`), updated with the result of each attempt, and deleted with the
 * delivery. No event reports it. Its changes have consequences like any other change: transitions
 * fire and invariants are checked.
 */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { deliveryResourceOf } from "../../model/events/delivery-retention.ts";
import { StoreUnavailable, WriteTimedOut } from "../../store/errors.ts";
import type { AttemptNote, DueDelivery } from "../../store/deliveries.ts";
import type { Transaction } from "../../store/store.ts";
import { type EventPlan, storeEvents } from "../events/events.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { deleteRecord, updatersOf, updateRecord } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import { planRecordByRow } from "../records/record-by-row.ts";
import {
  createEvaluationContext,
  type EvaluationContext,
  setRecord,
  type UnitOfWork,
} from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import { contentOf, payloadOf } from "../events/content.ts";
import type { NoteOfAttempt, ReceivedResult } from "./channel.ts";

export interface DeliveryRecords {
  /** Runs due transitions before the result of an attempt is recorded. */
  readonly runDueTransitions: () => Promise<void>;
  /**
   * Stores an attempt's result in the record; `result` is null if the delivery was given up without
   * an attempt. Returns the earliest due time of the timers that were set.
   */
  readonly noted: NoteOfAttempt;
  /**
   * Deletes the records of deleted deliveries. Returns the earliest due time of the timers that
   * were set.
   */
  forgotten(rows: readonly number[], transaction: Transaction): Promise<number | null>;
}

export interface DeliveryRecordParts {
  readonly newFrame: (nowMs: number) => Frame;
  readonly newWork: () => UnitOfWork;
  readonly events: readonly EventPlan[];
  readonly runDueTransitions: () => Promise<void>;
}

export function planDeliveryRecords(
  context: PlanContext,
  { newFrame, newWork, events, runDueTransitions }: DeliveryRecordParts,
): DeliveryRecords | undefined {
  const name = deliveryResourceOf(context.model);
  if (name === undefined) return undefined;
  const byRow = planRecordByRow(context);
  const evaluationOf = (transaction: Transaction, nowMs: number) =>
    createEvaluationContext({ ...newWork(), session: transaction, transaction }, newFrame(nowMs));
  const find = (resource: string, row: number, { work, frame }: EvaluationContext) =>
    byRow(resource, row, work.session, frame);
  /** Completes the consequences of the change, as for any other change. */
  const finish = async (evaluation: EvaluationContext): Promise<number | null> => {
    await completeChanges(context, evaluation);
    await storeEvents(context, events, evaluation);
    return evaluation.work.earliestDueMs;
  };
  /**
   * If the record would violate an invariant of the document, rolls back this change only. The
   * delivery's result, or its deletion, remains stored.
   */
  const alone = async (
    transaction: Transaction,
    which: string,
    work: () => Promise<number | null>,
  ): Promise<number | null> => {
    try {
      return await transaction.part(work);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof WriteTimedOut) throw error;
      context.ports.log.error(
        { record: `${name} ${which}`, error: String(error) },
        "a delivery's record could not be changed",
      );
      return null;
    }
  };
  /** Evaluates `on update` with the result of the attempt. No other expression reads the result. */
  const changesOf = async (
    delivery: DueDelivery,
    now: Value,
    evaluation: EvaluationContext,
    record: RecordValue,
  ) => {
    const plan = context.resource(name);
    const seen = { event: eventOf(delivery), delivery: now, old: record };
    const inner = recordContext(evaluation, plan, { ...record }, seen);
    const receiver = context.model.resources.find((resource) => resource.name === delivery.resource);
    if (receiver) {
      const last = contentOf(delivery).record ?? (await find(receiver.name, delivery.row, evaluation));
      setRecord(inner, receiver.variableName, receiver.name, last);
    }
    return Object.fromEntries(await updatersOf(context, plan, inner, record, {}, plan.attemptUpdaters));
  };
  return {
    runDueTransitions,
    async noted(delivery, note, attempt, transaction) {
      if (delivery.record === null) return null;
      const evaluation = evaluationOf(transaction, note.at);
      const record = await find(name, delivery.record, evaluation);
      // The record was deleted together with the record that it referred to.
      if (!record || record["#deleted"] === true) return null;
      return alone(transaction, `delivery ${delivery.id}`, async () => {
        const plan = context.resource(name);
        const changes = await changesOf(delivery, deliveryOf(delivery, note, attempt), evaluation, record);
        const changing = recordContext(evaluation, plan, record, { old: record });
        await updateRecord(context, plan, changing, record, changes);
        return finish(evaluation);
      });
    },
    async forgotten(rows, transaction) {
      const plan = context.resource(name);
      let soonest: number | null = null;
      for (const row of rows) {
        const evaluation = evaluationOf(transaction, context.ports.clock.now());
        const record = await find(name, row, evaluation);
        if (!record || record["#deleted"] === true) continue;
        const due = await alone(transaction, `row ${row}`, async () => {
          await deleteRecord(context, plan, recordContext(evaluation, plan, record), record);
          return finish(evaluation);
        });
        if (due !== null) soonest = Math.min(due, soonest ?? due);
      }
      return soonest;
    },
  };
}

function eventOf(delivery: DueDelivery): Value {
  const { eventId, eventType, eventTime, subject, event } = delivery;
  const payload = JSON.parse(payloadOf(delivery)) as Value;
  return { id: eventId, type: eventType, time: eventTime, subject, sequence: event, payload };
}

const stateNames = { open: "pending", done: "delivered", dead: "failed" } as const;

function deliveryOf(
  { id, attempts }: DueDelivery,
  { at, state, status, error, dueAt }: AttemptNote,
  attempt: ReceivedResult | null,
): Value {
  return {
    id,
    attempt: attempts + 1,
    time: new Date(at).toISOString(),
    state: stateNames[state],
    status,
    answer: attempt?.answer ?? null,
    headers: attempt?.headers ?? null,
    took: attempt?.durationMs ?? null,
    error,
    next: dueAt === null ? null : new Date(dueAt).toISOString(),
  };
}
