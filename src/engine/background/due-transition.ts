/**
 * Due transition: runs one due transition, or deletes a record whose `Kept` time is over, in a
 * savepoint of its own.
 */
import type { Frame, RecordValue } from "../../expressions/value.ts";
import type { DueTimer, Query, Transaction } from "../../store/store.ts";
import { type EventPlan, storeEvents } from "../events/events.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { rowEquals } from "../evaluation/nodes.ts";
import { deleteRecord } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import type { Journal } from "../evaluation/journal.ts";
import { acceptsState } from "../records/machine-plan.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import {
  createEvaluationContext,
  createUnitOfWork,
  type EvaluationContext,
  setRecord,
} from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import { retentionTimer } from "../../store/timer-setting.ts";
import { runEnd } from "../records/transition.ts";
import { bind } from "../../expressions/parameters.ts";

/** @param frame its `now` is the time at which the transition was due */
export type FireDueTransition = (
  timer: DueTimer,
  transaction: Transaction,
  frame: Frame,
) => Promise<FiredDueTransition>;

export interface FiredDueTransition {
  /** Whether only its own record was changed. */
  readonly isAlone: boolean;
  /** The changes; absent if there were none. */
  readonly journal?: Journal;
  /** The earliest due time that it has set. */
  readonly soonestDue: number | null;
}

const noResult: FiredDueTransition = { isAlone: true, soonestDue: null };

export function planDueTransition(context: PlanContext, events: readonly EventPlan[]): FireDueTransition {
  const resources = new Set(context.model.resources.map((resource) => resource.name));
  const byRow = new Map<string, Query<RecordValue>>();
  const queryOf = (resource: string): Query<RecordValue> => {
    let query = byRow.get(resource);
    if (!query) {
      query = context.store.prepareRecords({ resource, where: [rowEquals(resource)], order: [] });
      byRow.set(resource, query);
    }
    return query;
  };

  return async (timer, transaction, frame) => {
    const clear = async () => {
      await transaction.system.setTimer(timer, null);
      return noResult;
    };
    // The document may have changed since the timer was set: a transition that it no longer has is
    // no longer due.
    if (!resources.has(timer.resource)) return clear();
    const plan = context.resource(timer.resource);
    const query = queryOf(timer.resource);
    const record = await transaction.record(query, bind(frame, { row: timer.row }));
    if (!record) return clear();
    const work = createUnitOfWork(transaction, transaction, timer.dueAt);
    const evaluation = recordContext(createEvaluationContext(work, frame), plan, record, {
      body: null,
      caller: null,
    });
    setRecord(evaluation, "old", plan.name, record);
    const isDone =
      timer.transition === retentionTimer
        ? await deleteExpired(context, plan, timer, evaluation, record)
        : await fireEnd(context, plan, timer, evaluation, record);
    if (!isDone) return noResult;
    await completeChanges(context, evaluation);
    await storeEvents(context, events, evaluation);
    let isAlone = true;
    for (const { resource, row } of work.journal.touched)
      if (resource !== timer.resource || row !== timer.row) isAlone = false;
    return { isAlone, journal: work.journal, soonestDue: work.earliestDueMs };
  };
}

/** `Kept`: deletes the record, as a timed `delete` would. */
async function deleteExpired(
  context: PlanContext,
  plan: ResourcePlan,
  timer: DueTimer,
  evaluation: EvaluationContext,
  record: RecordValue,
): Promise<boolean> {
  await evaluation.work.transaction?.system.setTimer(timer, null);
  if (!plan.resource.kept) return false;
  await deleteRecord(context, plan, evaluation, record);
  return true;
}

/** Returns false if the end is no longer due, or its guard doesn't hold. */
async function fireEnd(
  context: PlanContext,
  plan: ResourcePlan,
  timer: DueTimer,
  evaluation: EvaluationContext,
  record: RecordValue,
): Promise<boolean> {
  const { machine } = plan;
  const system = evaluation.work.transaction?.system;
  const transition = machine?.transitions.get(timer.transition);
  const end = transition?.ends[timer.end];
  const isTimedEnd = end?.end.trigger.kind === "after" || end?.end.trigger.kind === "at";
  const state = machine?.field === undefined ? null : record[machine.field];
  if (!machine || !transition || !end || !isTimedEnd || !acceptsState(machine, end, state)) {
    await system?.setTimer(timer, null);
    return false;
  }
  if (end.guard && (await end.guard(evaluation)) !== true) {
    await system?.holdTimer(timer);
    return false;
  }
  // A record that leaves the timer's state disarms the timer itself.
  const leaves = !end.end.same && !acceptsState(machine, end, end.end.to);
  if (!leaves) await system?.setTimer(timer, null);
  await runEnd(context, plan, transition, end, evaluation);
  return true;
}
