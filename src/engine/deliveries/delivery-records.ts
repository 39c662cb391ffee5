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
import { planRecordByRow, type RecordByRow } from "../records/record-by-row.ts";
import {
  createEvaluationContext,
  type EvaluationContext,
  setRecord,
  type UnitOfWork,
} from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import { contentOf, payloadOf } from "../events/content.ts";
import type { NoteOfAttempt, ReceivedResult } from "./channel.ts";

export interface DeliveryRecordParts {
  readonly newFrame: (nowMs: number) => Frame;
  readonly newWork: () => UnitOfWork;
  readonly events: readonly EventPlan[];
  readonly runDueTransitions: () => Promise<void>;
}

export function planDeliveryRecords(
  context: PlanContext,
  parts: DeliveryRecordParts,
): DeliveryRecords | undefined {
  const name = deliveryResourceOf(context.model);
  return name === undefined ? undefined : new DeliveryRecords(context, parts, name);
}

export class DeliveryRecords {
  readonly #context: PlanContext;
  readonly #parts: DeliveryRecordParts;
  readonly #name: string;
  readonly #byRow: RecordByRow;
  /** Runs due transitions before the result of an attempt is recorded. */
  readonly runDueTransitions: () => Promise<void>;

  constructor(context: PlanContext, parts: DeliveryRecordParts, name: string) {
    this.#context = context;
    this.#parts = parts;
    this.#name = name;
    this.#byRow = planRecordByRow(context);
    this.runDueTransitions = parts.runDueTransitions;
  }

  /**
   * Stores an attempt's result in the record; `result` is null if the delivery was given up without
   * an attempt. Returns the earliest due time of the timers that were set.
   */
  readonly noted: NoteOfAttempt = async (delivery, note, attempt, transaction) => {
    if (delivery.record === null) return null;
    const evaluation = this.#evaluationOf(transaction, note.at);
    const record = await this.#find(this.#name, delivery.record, evaluation);
    // The record was deleted together with the record that it referred to.
    if (!record || record["#deleted"] === true) return null;
    return this.#alone(transaction, `delivery ${delivery.id}`, async () => {
      const plan = this.#context.resource(this.#name);
      const now = deliveryOf(delivery, note, attempt);
      const changes = await this.#changesOf(delivery, now, evaluation, record);
      const changing = recordContext(evaluation, plan, record, { old: record });
      await updateRecord(this.#context, plan, changing, record, changes);
      return this.#finish(evaluation);
    });
  };

  /**
   * Deletes the records of deleted deliveries. Returns the earliest due time of the timers that
   * were set.
   */
  readonly forgotten = async (rows: readonly number[], transaction: Transaction): Promise<number | null> => {
    const plan = this.#context.resource(this.#name);
    let soonest: number | null = null;
    for (const row of rows) {
      const evaluation = this.#evaluationOf(transaction, this.#context.ports.clock.now());
      const record = await this.#find(this.#name, row, evaluation);
      if (!record || record["#deleted"] === true) continue;
      const due = await this.#alone(transaction, `row ${row}`, async () => {
        await deleteRecord(this.#context, plan, recordContext(evaluation, plan, record), record);
        return this.#finish(evaluation);
      });
      if (due !== null) soonest = Math.min(due, soonest ?? due);
    }
    return soonest;
  };

  #evaluationOf(transaction: Transaction, nowMs: number): EvaluationContext {
    return createEvaluationContext(
      { ...this.#parts.newWork(), session: transaction, transaction },
      this.#parts.newFrame(nowMs),
    );
  }

  #find(resource: string, row: number, { work, frame }: EvaluationContext): ReturnType<RecordByRow> {
    return this.#byRow(resource, row, work.session, frame);
  }

  /** Completes the consequences of the change, as for any other change. */
  async #finish(evaluation: EvaluationContext): Promise<number | null> {
    await completeChanges(this.#context, evaluation);
    await storeEvents(this.#context, this.#parts.events, evaluation);
    return evaluation.work.earliestDueMs;
  }

  /**
   * If the record would violate an invariant of the document, rolls back this change only. The
   * delivery's result, or its deletion, remains stored.
   */
  async #alone(
    transaction: Transaction,
    which: string,
    work: () => Promise<number | null>,
  ): Promise<number | null> {
    try {
      return await transaction.part(work);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof WriteTimedOut) throw error;
      this.#context.ports.log.error(
        { record: `${this.#name} ${which}`, error: String(error) },
        "a delivery's record could not be changed",
      );
      return null;
    }
  }

  /** Evaluates `on update` with the result of the attempt. No other expression reads the result. */
  async #changesOf(
    delivery: DueDelivery,
    now: Value,
    evaluation: EvaluationContext,
    record: RecordValue,
  ): Promise<Readonly<Record<string, Value>>> {
    const plan = this.#context.resource(this.#name);
    const seen = { event: eventOf(delivery), delivery: now, old: record };
    const inner = recordContext(evaluation, plan, { ...record }, seen);
    const receiver = this.#context.model.resources.find((resource) => resource.name === delivery.resource);
    if (receiver) {
      const last = contentOf(delivery).record ?? (await this.#find(receiver.name, delivery.row, evaluation));
      setRecord(inner, receiver.variableName, receiver.name, last);
    }
    return Object.fromEntries(await updatersOf(this.#context, plan, inner, record, {}, plan.attemptUpdaters));
  }
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
