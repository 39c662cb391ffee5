/** A resource's states and transitions, ready to run: ends by state, guards, effects, and which ends are timed. */
import type { Resource, StateMachine, TransitionEnd } from "../../model/model.ts";
import { unidentifiedGap } from "../../model/unidentified.ts";
import type { Position } from "../../source/source.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type EffectPlan, planEffects } from "./effect-plans.ts";
import type { Evaluate } from "../evaluation/context.ts";

export interface MachinePlan {
  /** The state field; absent where every end is `any` to `same`. */
  readonly field?: string;
  readonly transitions: ReadonlyMap<string, TransitionPlan>;
  /** Ends that time takes, in the document's order. */
  readonly timed: readonly TimedEnd[];
  /** Transitions that are taken whenever their guard holds. */
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
  /** Place of the end among the transition's ends. */
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
  const gap = end.gap ?? unidentifiedGap(context.model, context.meaning, [end], end.effects);
  // Without an answer nothing of it can be done, and what the store can't be asked is not planned.
  if (gap && !end.gap) return { end: { ...end, gap }, from, effects: [] };
  return {
    end,
    from,
    ...(end.guard ? { guard: evaluateOf(context, end.guard.condition) } : {}),
    ...(end.guard?.otherwise === undefined ? {} : { otherwise: end.guard.otherwise }),
    // Planned when first asked for (`planAllEffects`), as transitions start each other in circles.
    get effects() {
      effects ??= planEffects(context, end.effects, resource.name);
      return effects;
    },
  };
}

/** To be called once all machines are planned: so a start tells what the store can't be asked. */
export function planAllEffects(machine: MachinePlan): readonly EffectPlan[] {
  return [...machine.transitions.values()].flatMap(({ ends }) => ends.flatMap(({ effects }) => effects));
}

/** Whether the record is in one of the end's From states. */
export function fits(machine: MachinePlan, end: EndPlan, state: unknown): boolean {
  return end.from === "any" || machine.field === undefined || end.from.has(String(state));
}
