/** Part 3: a state is reachable if it is initial, or if a reachable row leads to it. */
import { literalResults } from "../../expressions/analysis/literal-texts.ts";
import type { StateMachine, TransitionEnd } from "../../model/model.ts";
import type { Check } from "../check.ts";

/** A row from `any` starts at every state. A single node for all states keeps the graph small; no state has its name. */
const anyState = "any";

export const unreachedState: Check = ({ resources }, reporter) => {
  for (const { name: resource, states: machine } of resources) {
    const reached = machine && statesReached(machine);
    for (const { name: state, position } of reached ? machine.states : [])
      if (!reached?.has(state)) reporter.report("states/unreached-state", position, { state, resource });
  }
};

/** Without an initial state, or with rows that are not shown, no state is known to be unreachable. */
function statesReached({ field, initial, initialGap, transitions }: StateMachine) {
  const starts = initial ? literalResults(initial.node) : [];
  const ends = transitions.flatMap((transition) => transition.ends);
  const isOpen = initialGap || starts.includes(undefined) || ends.some((end) => end.gap || end.unread);
  if (field === undefined || starts.length === 0 || isOpen) return undefined;
  const steps = stepsOf(ends);
  const reached = new Set<string | undefined>([anyState, ...starts]);
  for (const state of reached) for (const next of steps.get(state ?? "") ?? []) reached.add(next);
  return reached;
}

/** The states that the rows lead to, by state. */
function stepsOf(ends: readonly TransitionEnd[]): ReadonlyMap<string, ReadonlySet<string>> {
  const steps = new Map<string, Set<string>>();
  for (const { from, to, same } of ends) {
    for (const state of from === "any" ? [anyState] : from) {
      const known = steps.get(state) ?? new Set();
      // A row to `same` leads to the state that it started from.
      known.add(same ? state : to);
      steps.set(state, known);
    }
  }
  return steps;
}
