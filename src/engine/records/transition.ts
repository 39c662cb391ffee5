/**
 * Transitions (part 3): of the ends whose From matches, the first whose guard holds fires. The
 * state changes first. Then the end's effects run in the same transaction.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { recursionBounds } from "../defaults.ts";
import { NotShown, Problem } from "../problem.ts";
import { recordContext } from "./record-context.ts";
import { runEffects } from "./effects.ts";
import { assignToThis } from "./assign-to-this.ts";
import { type EndPlan, acceptsState, type MachinePlan, type TransitionPlan } from "./machine-plan.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { isRecord, type EvaluationContext, setRecord } from "../evaluation/context.ts";

/**
 * Fires `name` on the record, called by another record's effect. `evaluation` only supplies the
 * caller, the time and the request. The transition sees its own record, and `body`.
 */
export async function fireTransition(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  name: string,
  body: Value,
): Promise<RecordValue> {
  const { journal } = evaluation.work;
  if (journal.depth >= recursionBounds.depthMax) {
    throw new Problem(
      {
        condition: "internal",
        problem: `${plan.name} ${name} starts itself in an endless loop`,
      },
      { because: plan.machine?.transitions.get(name)?.position },
    );
  }
  journal.depth += 1;
  const inner = recordContext(evaluation, plan, record, { body });
  setRecord(inner, "old", plan.name, record);
  const transition = transitionPlan(plan, name);
  const end = await chooseEnd(plan, transition, inner, record);
  const now = await runEnd(context, plan, transition, end, inner);
  journal.depth -= 1;
  return now;
}

export function transitionPlan(plan: ResourcePlan, name: string): TransitionPlan {
  const transition = plan.machine?.transitions.get(name);
  if (!transition)
    throw new Problem({ condition: "internal", problem: `${plan.name} has no transition ${name}` });
  return transition;
}

/**
 * Returns the ends whose From matches.
 * @throws Problem *illegal transition* with the allowed transitions
 */
export function matchingEnds(
  plan: ResourcePlan,
  transition: TransitionPlan,
  record: RecordValue,
): readonly EndPlan[] {
  const machine = plan.machine as MachinePlan;
  const state = machine.field === undefined ? null : record[machine.field];
  const fitting = transition.ends.filter(
    (end) => end.end.trigger.kind === "call" && acceptsState(machine, end, state),
  );
  const unclear = fitting.find((end) => end.end.gap);
  if (unclear?.end.gap) throw new NotShown(unclear.end.gap);
  const first = fitting[0];
  if (first) return fitting;
  const notShown = transition.ends.find((end) => end.end.trigger.kind === "not shown");
  if (notShown?.end.gap) throw new NotShown(notShown.end.gap);
  throw new Problem(
    {
      condition: "illegal transition",
      resource: plan.name,
      transition: transition.name,
      problem: `can't ${transition.name} while it is ${String(state)}`,
      allowed: allowedTransitions(machine, state),
      value: state ?? null,
    },
    { because: transition.position, record },
  );
}

/** Returns the names of transitions that can be called in this state. */
function allowedTransitions(machine: MachinePlan, state: unknown): readonly string[] {
  return [...machine.transitions.values()]
    .filter((transition) =>
      transition.ends.some((end) => end.end.trigger.kind === "call" && acceptsState(machine, end, state)),
    )
    .map((transition) => transition.name);
}

/**
 * Returns the first matching end whose guard holds.
 * @throws Problem *guard failed*, or with the code after `else`
 */
export function chooseEnd(
  plan: ResourcePlan,
  transition: TransitionPlan,
  evaluation: EvaluationContext,
  record: RecordValue,
): Awaitable<EndPlan> {
  return chooseByGuard(plan, transition, evaluation, matchingEnds(plan, transition, record));
}

export function chooseByGuard(
  plan: ResourcePlan,
  transition: TransitionPlan,
  evaluation: EvaluationContext,
  fitting: readonly EndPlan[],
  from = 0,
): Awaitable<EndPlan> {
  const end = fitting[from];
  if (!end) throw guardFailed(plan, transition, evaluation, fitting);
  return after(end.guard ? end.guard(evaluation) : true, (holds) =>
    holds === true ? end : chooseByGuard(plan, transition, evaluation, fitting, from + 1),
  );
}

function guardFailed(
  plan: ResourcePlan,
  transition: TransitionPlan,
  evaluation: EvaluationContext,
  fitting: readonly EndPlan[],
): Problem {
  const guard = fitting[0]?.end.guard;
  const otherwise = fitting.find((end) => end.otherwise !== undefined)?.otherwise;
  return new Problem(
    {
      condition: "guard failed",
      resource: plan.name,
      transition: transition.name,
      problem: `can't ${transition.name} now`,
      ...(otherwise === undefined ? {} : { code: otherwise }),
    },
    {
      because: fitting[0]?.end.position ?? transition.position,
      record: evaluation.frame.this,
      decision: guard && { condition: guard.condition, frame: evaluation.frame },
    },
  );
}

/**
 * Runs work of the state machine, whose expressions may use the record's small name. If the path
 * has a different record of that name, it is restored afterwards.
 */
export function withRecordName<T>(
  evaluation: EvaluationContext,
  plan: ResourcePlan,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const { variableName } = plan.resource;
  const own = evaluation.frame.this as RecordValue;
  const pathRecord = evaluation.frame.named[variableName] ?? null;
  setRecord(evaluation, variableName, plan.name, own);
  if (!isRecord(pathRecord) || pathRecord["#row"] === own["#row"]) return work();
  return after(work(), (result) => {
    setRecord(evaluation, variableName, plan.name, pathRecord);
    return result;
  });
}

/**
 * Changes the state, then runs the end's effects. `evaluation.this` is the record.
 * @returns the record afterwards
 */
export function runEnd(
  context: PlanContext,
  plan: ResourcePlan,
  transition: TransitionPlan,
  end: EndPlan,
  evaluation: EvaluationContext,
): Awaitable<RecordValue> {
  const machine = plan.machine as MachinePlan;
  const before = evaluation.frame.this as RecordValue;
  context.observer?.(end.end, true);
  if (machine.field !== undefined && !end.end.same)
    assignToThis(context, evaluation, plan.name, machine.field, end.end.to);
  return after(runEffects(context, end.effects, evaluation, plan.name), () => {
    const now = evaluation.frame.this as RecordValue;
    // The effects may have deleted the record.
    const isDeleted = evaluation.work.journal.latest(plan.name, before["#row"]) === null;
    evaluation.work.journal.note(
      "transition",
      plan.name,
      (evaluation.frame.old as RecordValue | null) ?? before,
      isDeleted ? null : now,
      evaluation.frame.caller,
      transition.name,
    );
    return now;
  });
}
