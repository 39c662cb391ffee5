/**
 * A scene: where expressions of the engine are asked. It holds the session, the frame, and which names of the frame are records of
 * which resource, so that they can be brought up to date after something was changed.
 */
import type { SpanContext } from "../trace.ts";
import type { Frame, ObjectValue, RecordValue, Value } from "../../expressions/value.ts";
import type { Scheme } from "../../model/model.ts";
import type { Session, Transaction } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { Fault } from "../../support/invariant.ts";
import { SmallMap } from "../../support/small-map.ts";
import { createJournal, type Journal } from "./journal.ts";

/** One run of the engine: an attempt at a request, a timer, a seed. Shared by all its scenes; one that is begun again gets a new one. */
export interface UnitOfWork {
  session: Session;
  /** Only there while changes may be made. */
  transaction: Transaction | null;
  readonly journal: Journal;
  /** `shown once` values that this run has set, `Resource.field` → text, per row: `ApiKey#12.key`. */
  onceValues: ReadonlyMap<string, string>;
  /** The soonest due time of the timers that this run has set, in milliseconds. */
  earliestDueMs: number | null;
  /** When it was due, of what time brings about: nothing that follows from it is due before it. In milliseconds. */
  readonly notBeforeMs: number;
  /** The author's own handler has begun: what it does elsewhere stays done, so that it is called once. */
  calledAuthorCode: boolean;
  /** The request that it is done for, where that is traced: what it has sent tells of it. */
  trace: SpanContext | null;
}

const noOnceValues: ReadonlyMap<string, string> = new Map();

/** @param transaction null for work that changes nothing */
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

/** A timer was set: the soonest of a work wakes the service up. */
export function recordDueTime(work: UnitOfWork, dueAtMs: number | null): void {
  if (dueAtMs !== null && (work.earliestDueMs === null || dueAtMs < work.earliestDueMs))
    work.earliestDueMs = dueAtMs;
}

/** The same work, in which nothing is shown once. */
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
  /** Which names hold a record of which resource; `this` among them. */
  readonly records: SmallMap<string>;
  /** Assignments to `this` that are not in the store yet; see `flush` in `change.ts`. */
  pending: PendingAssignments | null;
  /** The journal's count when the records were last brought up to date. */
  refreshedAt: number;
  /** Part 5: by which scheme `caller` was found. */
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

/** Gives a record its name in the scene. */
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

/** Says in `this` and `old` of which resource they are, for expressions about records of several (`binding/several.ts`). */
export function tagRecords({ frame, records }: EvaluationContext): void {
  frame.this = withResource(frame.this, records.get("this"));
  frame.old = withResource(frame.old, records.get("old"));
}

/** The record with its resource, where it is one. */
export function withResource(record: Value, resource: string | undefined): Value {
  return resource !== undefined && typeof record === "object" && record !== null && "#row" in record
    ? ({ ...record, "#resource": resource } as Value)
    : record;
}

/** Brings the records at hand up to date with what the transaction has done. `old` stays as it was. */
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
    const latest = journal.latest(resource, record["#row"]);
    if (latest === undefined || latest === record) return;
    // A deleted record stays readable as it was: part 4, Returns, "after `delete`, `this` is what it was".
    if (latest === null) return;
    if (name === "this")
      evaluation.frame.this = "#resource" in record ? withResource(latest, resource) : latest;
    else evaluation.frame.named[name] = latest;
  });
}

export function transactionOf(evaluation: EvaluationContext): Transaction {
  if (!evaluation.work.transaction) throw new Fault("a change was asked for outside of a transaction");
  return evaluation.work.transaction;
}

/** An expression that is ready to be asked in a scene. */
export type Evaluate<T = Value> = (evaluation: EvaluationContext) => Awaitable<T>;

/** Writes the assignments that a transition or an effect has made to `this` but not stored yet. */
export function flush(evaluation: EvaluationContext): Awaitable<void> {
  const { pending } = evaluation;
  if (!pending) return;
  evaluation.pending = null;
  return pending.apply();
}

export function isRecord(value: Value): value is RecordValue {
  return value !== null && typeof value === "object" && "#row" in value;
}

/** The service's own origin, as `service.origin` says it to expressions; empty where it has none. */
export function originOf({ frame }: EvaluationContext): string {
  const service = frame.service as { readonly origin?: string } | null | undefined;
  return service?.origin ?? "";
}
