/**
 * Timers: timed transitions (part 3, "Trigger") and `Kept` (part 2) as rows. A timer is armed when
 * a record enters a state or its time field changes. It is disarmed when the record leaves the
 * state. `background/` runs due timers.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { acceptsState, type MachinePlan, type TimedEnd } from "./machine-plan.ts";
import { retentionTimer } from "../../store/timer-setting.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { recordDueTime, type EvaluationContext, transactionOf } from "../evaluation/context.ts";

/**
 * Arms and disarms the timers of a changed record.
 * @param before null if the record is new
 */
export function updateTimers(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  before: RecordValue | null,
  after: RecordValue,
): Awaitable<void> {
  if (after["#deleted"] === true) return;
  if (plan.resource.kept || (plan.machine?.timed.length ?? 0) > 0)
    return arm(plan, evaluation, before, after);
}

async function arm(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  before: RecordValue | null,
  after: RecordValue,
): Promise<void> {
  const { machine } = plan;
  if (plan.resource.kept) await armRetention(plan, evaluation, before, after);
  if (!machine || machine.timed.length === 0) return;
  const row = after["#row"];
  const nowMs = Date.parse(evaluation.frame.now);
  for (const timed of machine.timed) {
    const due = dueChange(machine, timed, before, after, nowMs);
    if (due !== undefined) await set(plan, evaluation, row, timed.transition.name, timed.index, due);
  }
  // A guard that was false is evaluated again after its record has changed. If it holds now, the
  // transition fires now.
  if (!before || !machine.timed.some((timed) => timed.end.guard)) return;
  const woken = await transactionOf(evaluation).system.wakeTimers(plan.name, row, nowMs);
  if (woken > 0) recordDueTime(evaluation.work, nowMs);
}

/** @param dueMs null to disarm */
async function set(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  row: number,
  transition: string,
  end: number,
  dueMs: number | null,
): Promise<void> {
  const due = dueMs === null ? null : Math.max(dueMs, evaluation.work.notBeforeMs);
  await transactionOf(evaluation).system.setTimer({ resource: plan.name, row, transition, end }, due);
  recordDueTime(evaluation.work, due);
}

async function armRetention(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  before: RecordValue | null,
  after: RecordValue,
): Promise<void> {
  const { kept: retention } = plan.resource;
  if (!retention) return;
  const since = after[retention.after];
  if (before && since === before[retention.after]) return;
  const due = typeof since === "string" ? Date.parse(since) + retention.milliseconds : null;
  await set(plan, evaluation, after["#row"], retentionTimer, 0, due);
}

/** The new due time; null to disarm, undefined for no change. */
function dueChange(
  machine: MachinePlan,
  timed: TimedEnd,
  before: RecordValue | null,
  after: RecordValue,
  nowMs: number,
): number | null | undefined {
  const stateBefore = before && machine.field !== undefined ? before[machine.field] : null;
  const stateAfter = machine.field !== undefined ? after[machine.field] : null;
  const fitted = before !== null && acceptsState(machine, timed.end, stateBefore);
  if (!acceptsState(machine, timed.end, stateAfter)) return fitted ? null : undefined;
  // A state is entered only if it changes (decision "The same state doesn't start a timer").
  if (timed.afterMs !== undefined)
    return before === null || stateBefore !== stateAfter ? nowMs + timed.afterMs : undefined;
  // A due time fires once: moving between From states does not arm it again.
  const time = after[timed.at as string];
  if (fitted && time === before?.[timed.at as string]) return undefined;
  if (typeof time !== "string") return null;
  // If the record enters the state after that time, the timer is due at once.
  const entersMs = before !== null && stateBefore !== stateAfter ? nowMs : Number.NEGATIVE_INFINITY;
  return Math.max(Date.parse(time), entersMs);
}
