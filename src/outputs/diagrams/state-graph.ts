/** State graph: the states and transitions of a resource, for all pictures and tables of them. */
import type { Expression } from "../../expressions/node.ts";
import { literalResults } from "../../expressions/analysis/literal-texts.ts";
import type { Resource, Transition, TransitionEnd } from "../../model/model.ts";
import { triggerText } from "./trigger-text.ts";

export interface StateGraph {
  readonly resource: string;
  readonly states: readonly StateNode[];
  readonly arrows: readonly StateArrow[];
  /**
   * The initial state if it isn't a set of state names: `not shown`, or the text of an expression.
   */
  readonly initial?: { readonly gap: boolean; readonly text: string };
}

export interface StateNode {
  readonly name: string;
  /** Whether a new record may be in this state. */
  readonly initial: boolean;
  /** No transition leaves it. */
  readonly final: boolean;
}

/**
 * One edge of a transition. `from` is absent where the transition starts in any state; `to` is
 * absent where it keeps the state.
 */
export interface StateArrow {
  readonly transition: string;
  readonly from?: string;
  readonly to?: string;
  /** `after 14 days`; absent for a transition that a call fires. */
  readonly trigger?: string;
  readonly guarded: boolean;
}

/** The graph of a resource; undefined for a resource without states or without a state field. */
export function stateGraph(resource: Resource): StateGraph | undefined {
  const machine = resource.states;
  if (!machine || machine.states.length === 0) return undefined;
  const initialStates = machine.initial ? literalResults(machine.initial.node) : [];
  return {
    resource: resource.name,
    states: machine.states.map(({ name, final }) => ({
      name,
      final,
      initial: initialStates.includes(name),
    })),
    arrows: machine.transitions.flatMap(arrowsOf),
    ...beginningOf(machine.initial, initialStates.includes(undefined), machine.initialGap !== undefined),
  };
}

function beginningOf(
  initial: Expression | undefined,
  open: boolean,
  gap: boolean,
): Pick<StateGraph, "initial"> {
  if (gap) return { initial: { gap: true, text: "not shown" } };
  return initial && open ? { initial: { gap: false, text: initial.text } } : {};
}

function arrowsOf(transition: Transition): readonly StateArrow[] {
  return transition.ends.flatMap((end) => arrowsOfEnd(transition.name, end));
}

function arrowsOfEnd(transition: string, end: TransitionEnd): readonly StateArrow[] {
  const trigger = triggerText(end.trigger);
  const arrow = {
    transition,
    guarded: end.guard !== undefined,
    ...(end.trigger.kind === "call" ? {} : { trigger }),
  };
  if (end.from === "any") return [{ ...arrow, ...(end.same ? {} : { to: end.to }) }];
  return end.from.map((from) => ({ ...arrow, from, to: end.same ? from : end.to }));
}
