/**
 * State machine plan: the compiled transitions of a resource, with their ends by state, guards,
 * effects and timers.
 */
import type { Resource, StateMachine, TransitionEnd } from "../../model/model.ts";
import { makingGap, unidentifiedGap } from "../../model/resources/unidentified-resources.ts";
import type { Position } from "../../source/source.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type EffectPlan, planEffects } from "./effect-plans.ts";
import type { Evaluate } from "../evaluation/context.ts";

export interface MachinePlan {
  /** The state field; absent if every end is `any` to `same`. */
  readonly field?: string;
  readonly transitions: ReadonlyMap<string, TransitionPlan>;
  /** Timed ends, in document order. */
  readonly timed: readonly TimedEnd[];
  /** Transitions that fire whenever their guard holds. */
  readonly immediate: readonly TransitionPlan[];
}

export interface TransitionPlan {
  readonly name: string;
  readonly position: Position;
  readonly ends: readonly EndPlan[];
}

export interface EndPlan {
  readonly end: TransitionEnd;
  readonly from: ReadonlySet<string> | "any";
  readonly guard?: Evaluate;
  readonly otherwise?: string;
  readonly effects: readonly EffectPlan[];
}

export interface TimedEnd {
  readonly transition: TransitionPlan;
  /** Index of the end among the transition's ends. */
  readonly index: number;
  readonly end: EndPlan;
  readonly afterMs?: number;
  readonly at?: string;
}

export function planMachine(context: PlanContext, resource: Resource, machine: StateMachine): MachinePlan {
  const transitions = new Map<string, TransitionPlan>();
  const timed: TimedEnd[] = [];
  const immediate: TransitionPlan[] = [];
  for (const transition of machine.transitions) {
    const plan: TransitionPlan = {
      name: transition.name,
      position: transition.position,
      ends: transition.ends.map((end) => planEnd(context, resource, end)),
    };
    transitions.set(transition.name, plan);
    plan.ends.forEach((end, index) => {
      const { trigger } = end.end;
      if (end.end.gap && !transition.ends[index]?.gap) return;
      if (trigger.kind === "after")
        timed.push({ transition: plan, index, end, afterMs: trigger.milliseconds });
      if (trigger.kind === "at") timed.push({ transition: plan, index, end, at: trigger.field });
    });
    if (transition.ends.some((end) => end.trigger.kind === "immediately")) immediate.push(plan);
  }
  return { ...(machine.field === undefined ? {} : { field: machine.field }), transitions, timed, immediate };
}

function planEnd(context: PlanContext, resource: Resource, end: TransitionEnd): EndPlan {
  let effects: readonly EffectPlan[] | undefined;
  const from = end.from === "any" ? "any" : new Set(end.from);
  const gap =
    end.gap ??
    unidentifiedGap(context.model, context.meaning, [end], end.effects) ??
    makingGap(context.model, end.effects);
  // A gap makes the end unusable, and queries that the store does not support are not planned.
  if (gap && !end.gap) return { end: { ...end, gap }, from, effects: [] };
  return {
    end,
    from,
    ...(end.guard ? { guard: evaluateOf(context, end.guard.condition) } : {}),
    ...(end.guard?.otherwise === undefined ? {} : { otherwise: end.guard.otherwise }),
    // Planned on first use (`planAllEffects`), because transitions can start each other in cycles.
    get effects() {
      effects ??= planEffects(context, end.effects, resource.name);
      return effects;
    },
  };
}

/**
 * Plans the effects after all machines are planned. So queries that the store does not support fail
 * at start.
 */
export function planAllEffects(machine: MachinePlan): readonly EffectPlan[] {
  return [...machine.transitions.values()].flatMap(({ ends }) => ends.flatMap(({ effects }) => effects));
}

/** Whether the state is in the end's From states. */
export function acceptsState(machine: MachinePlan, end: EndPlan, state: unknown): boolean {
  return end.from === "any" || machine.field === undefined || end.from.has(String(state));
}
