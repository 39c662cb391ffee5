/**
 * Evaluation context: the session, the frame, and the names in the frame that hold records. The
 * context refreshes these records after a change.
 */
import type { SpanContext } from "../trace.ts";
import type { Frame, ObjectValue, RecordValue, Value } from "../../expressions/value.ts";
import type { Scheme } from "../../model/model.ts";
import type { Session, Transaction } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { Fault } from "../../support/invariant.ts";
import { SmallMap } from "../../support/small-map.ts";
import { createJournal, type Journal } from "./journal.ts";

/**
 * Unit of work: one attempt at a request, a timed transition or a seed. All its evaluation contexts
 * share it. A repeated attempt gets a new unit of work.
 */
export interface UnitOfWork {
  session: Session;
  /** Null if the unit of work may not change anything. */
  transaction: Transaction | null;
  readonly journal: Journal;
  /**
   * The `shown once` values that this unit of work has set, by `Resource.field` and row:
   * `ApiKey#12.key`.
   */
  onceValues: ReadonlyMap<string, string>;
  /**
   * The earliest due time of the timed transitions that this unit of work has set, in milliseconds.
   */
  earliestDueMs: number | null;
  /**
   * The due time of the timed transition that runs, in milliseconds. No transition that follows
   * from it is due earlier.
   */
  readonly notBeforeMs: number;
  /**
   * Whether the author's handler has started. The engine calls a handler only once, because its
   * external effects cannot be undone.
   */
  calledAuthorCode: boolean;
  /**
   * The trace of the request that started this unit of work; null without a trace. Its deliveries
   * continue the trace.
   */
  trace: SpanContext | null;
}

const noOnceValues: ReadonlyMap<string, string> = new Map();

/** @param transaction null for a unit of work that changes nothing */
export function createUnitOfWork(
  session: Session,
  transaction: Transaction | null,
  notBeforeMs = Number.NEGATIVE_INFINITY,
): UnitOfWork {
  return {
    session,
    transaction,
    journal: createJournal(),
    onceValues: noOnceValues,
    earliestDueMs: null,
    notBeforeMs,
    calledAuthorCode: false,
    trace: null,
  };
}

export function recordOnceValue(work: UnitOfWork, place: string, text: string): void {
  work.onceValues = new Map([...work.onceValues, [place, text]]);
}

/** Records the due time of a timed transition. The earliest due time wakes the scheduler. */
export function recordDueTime(work: UnitOfWork, dueAtMs: number | null): void {
  if (dueAtMs !== null && (work.earliestDueMs === null || dueAtMs < work.earliestDueMs))
    work.earliestDueMs = dueAtMs;
}

/** Returns the same unit of work without its `shown once` values. */
export function withoutOnceValues(work: UnitOfWork): UnitOfWork {
  return work.onceValues.size === 0 ? work : { ...work, onceValues: noOnceValues };
}

export interface PendingAssignments {
  readonly changes: Record<string, Value>;
  apply(): Awaitable<void>;
}

export interface EvaluationContext {
  readonly work: UnitOfWork;
  readonly frame: Frame;
  /** The names that hold a record, `this` among them, with the record's resource. */
  readonly records: SmallMap<string>;
  /** Assignments to `this` that are not in the store yet. `flush` stores them (`change.ts`). */
  pending: PendingAssignments | null;
  /** The journal's change count when the records were last refreshed. */
  refreshedAt: number;
  /** Part 5: the scheme that authenticated `caller`. */
  scheme: Scheme | undefined;
}

export function createEvaluationContext(work: UnitOfWork, frame: Frame): EvaluationContext {
  return {
    work,
    frame,
    records: new SmallMap(),
    pending: null,
    refreshedAt: work.journal.changes,
    scheme: undefined,
  };
}

/** Binds a record to a name in the context. */
export function setRecord(
  evaluation: EvaluationContext,
  name: string,
  resource: string,
  record: ObjectValue | null,
): void {
  evaluation.records.set(name, resource);
  if (name === "this") evaluation.frame.this = record;
  else if (name === "old") evaluation.frame.old = record;
  else evaluation.frame.named[name] = record;
}

/**
 * Marks `this` and `old` with their resources, for expressions about records of several resources
 * (`binding/resource-choice.ts`).
 */
export function tagRecords({ frame, records }: EvaluationContext): void {
  frame.this = withResource(frame.this, records.get("this"));
  frame.old = withResource(frame.old, records.get("old"));
}

/** Marks a record with its resource; returns any other value unchanged. */
export function withResource(record: Value, resource: string | undefined): Value {
  return resource !== undefined && typeof record === "object" && record !== null && "#row" in record
    ? ({ ...record, "#resource": resource } as Value)
    : record;
}

/** Refreshes the context's records after changes in the transaction. `old` keeps its value. */
export function refresh(evaluation: EvaluationContext): void {
  const { journal } = evaluation.work;
  if (evaluation.refreshedAt === journal.changes) return;
  evaluation.refreshedAt = journal.changes;
  evaluation.records.forEach((resource, name) => {
    if (name === "old") return;
    const record = (
      name === "this" ? evaluation.frame.this : evaluation.frame.named[name]
    ) as RecordValue | null;
    if (!record) return;
    const touched = journal.latest(resource, record["#row"]);
    const latest = touched === null ? asDeleted(record) : touched;
    if (latest === undefined || latest === record) return;
    if (name === "this")
      evaluation.frame.this = "#resource" in record ? withResource(latest, resource) : latest;
    else evaluation.frame.named[name] = latest;
  });
}

/** Returns the last values of a deleted record. `this.deleted` is true if the record is only marked. */
export function asDeleted(record: RecordValue): RecordValue {
  return record["#deleted"] === false ? { ...record, "#deleted": true } : record;
}

export function transactionOf(evaluation: EvaluationContext): Transaction {
  if (!evaluation.work.transaction) throw new Fault("a change was made outside of a transaction");
  return evaluation.work.transaction;
}

/** A compiled expression. */
export type Evaluate<T = Value> = (evaluation: EvaluationContext) => Awaitable<T>;

/** Stores the buffered assignments to `this` that a transition or an effect has made. */
export function flush(evaluation: EvaluationContext): Awaitable<void> {
  const { pending } = evaluation;
  if (!pending) return;
  evaluation.pending = null;
  return pending.apply();
}

export function isRecord(value: Value): value is RecordValue {
  return value !== null && typeof value === "object" && "#row" in value;
}

/**
 * The service's origin, which expressions read as `service.origin`; empty if the service has none.
 */
export function originOf({ frame }: EvaluationContext): string {
  const service = frame.service as { readonly origin?: string } | null | undefined;
  return service?.origin ?? "";
}
