/** Compares the states and transitions of a resource. */
import type { Model, StateMachine, Transition, TransitionEnd } from "../model/model.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import { operationsThatFire } from "./audiences.ts";
import type { Differences } from "./difference.ts";
import { allOf, anyOf, changeOf, convertedFields, sameMeaning } from "./meaning.ts";
import { linesOfRenamedState } from "./part-nine.ts";

const states: Aspects<StateMachine> = {
  field: { rule: "resource-changed", what: "keeps its state in another field" },
  fieldAt: "same",
  initial: { rule: "initial-state-changed", what: "has another initial state" },
  initialGap: "elsewhere",
  states: "elsewhere",
  transitions: "elsewhere",
};

interface Comparison {
  /** The resource. */
  readonly piece: Piece;
  readonly before: Model;
  readonly after: Model;
  readonly differences: Differences;
}

export function compareStates(old: StateMachine, now: StateMachine, comparison: Comparison): void {
  const { piece, before, after, differences } = comparison;
  const renamed = renamedState(old, now);
  const was = renamed ? withNewState(old, renamed) : old;
  if (renamed && !convertedFields(before, after).has(`${piece.subject}.${now.field}`))
    report(
      differences,
      piece,
      "resource-changed",
      `has the state ${renamed.to} instead of ${renamed.from}`,
      now.states.find(({ name }) => name === renamed.to)?.position,
      now.field === undefined
        ? {}
        : { write: linesOfRenamedState(`${piece.subject}.${now.field}`, renamed, { before, after }) },
    );
  compareAspects(was, now, states, piece, differences);
  // Whether a state is final follows from the transitions, which are compared below.
  const names = ({ states: of }: StateMachine) => new Set(of.map(({ name }) => name));
  for (const { name, position } of now.states)
    if (!names(was).has(name))
      report(differences, piece, "resource-changed", `has the state ${name} now`, position);
  for (const { name, position } of was.states)
    if (!names(now).has(name))
      report(differences, piece, "resource-changed", `no longer has the state ${name}`, undefined, {
        place: { in: "old", position },
      });
  const pieceOf = (model: Model, { name, position }: Transition): Piece => {
    const operations = operationsThatFire(model, piece.subject, name);
    return {
      subject: `${piece.subject} ${name}`,
      position,
      ...(operations === undefined ? {} : { operations }),
    };
  };
  const transitions = new Map(was.transitions.map((transition) => [transition.name, transition]));
  for (const transition of now.transitions) {
    const previous = transitions.get(transition.name);
    const of = pieceOf(after, transition);
    if (!previous) report(differences, of, "transition-widened", "is a new transition");
    else compareTransition(previous, transition, of, differences);
  }
  for (const transition of was.transitions)
    if (!now.transitions.some(({ name }) => name === transition.name))
      report(
        differences,
        pieceOf(before, transition),
        "transition-narrowed",
        "is no longer a transition",
        undefined,
        {
          place: { in: "old", position: transition.position },
        },
      );
}

interface RenamedState {
  readonly from: string;
  readonly to: string;
}

/** A state under another name: the transitions from it and to it are the same as before. */
function renamedState(was: StateMachine, now: StateMachine): RenamedState | undefined {
  const only = (of: StateMachine, other: StateMachine) =>
    of.states.filter(({ name }) => !other.states.some((state) => state.name === name));
  const [removed, ...moreRemoved] = only(was, now);
  const [added, ...moreAdded] = only(now, was);
  if (!removed || !added || moreRemoved.length + moreAdded.length > 0) return undefined;
  const renamed = { from: removed.name, to: added.name };
  const touching = (states: StateMachine) =>
    states.transitions
      .flatMap(({ name, ends }) =>
        ends.flatMap((end) =>
          (end.from === "any" ? ["any"] : end.from).map((from) => ({
            name,
            from,
            to: end.same ? from : end.to,
          })),
        ),
      )
      .filter(({ from, to }) => from === renamed.to || to === renamed.to)
      .map((step) => JSON.stringify(step))
      .toSorted();
  return sameMeaning(touching(withNewState(was, renamed)), touching(now)) ? renamed : undefined;
}

function withNewState(states: StateMachine, { from, to }: RenamedState): StateMachine {
  const renamed = (name: string) => (name === from ? to : name);
  return {
    ...states,
    states: states.states.map((state) => ({ ...state, name: renamed(state.name) })),
    transitions: states.transitions.map((transition) => ({
      ...transition,
      ends: transition.ends.map((end) => ({
        ...end,
        from: end.from === "any" ? end.from : end.from.map(renamed),
        to: renamed(end.to),
      })),
    })),
  };
}

/** Compares transitions. An end of a transition is one of its rows: from some states to one state. */
function compareTransition(was: Transition, now: Transition, piece: Piece, differences: Differences): void {
  const endsByStates = ({ ends }: Transition) =>
    Map.groupBy(
      ends.flatMap((end) => (end.from === "any" ? ["any"] : end.from).map((from) => ({ from, end }))),
      ({ from, end }) => `${from} to ${end.same ? "same" : end.to}`,
    );
  const [old, current] = [endsByStates(was), endsByStates(now)];
  for (const [statesText, of] of current) {
    const before = old.get(statesText);
    if (!before)
      report(differences, piece, "transition-widened", `goes from ${statesText} now`, of[0]?.end.position);
    else
      compareWay(
        before.map(({ end }) => end),
        of.map(({ end }) => end),
        piece,
        statesText,
        differences,
      );
  }
  for (const [statesText, of] of old)
    if (!current.has(statesText) && !current.has(`any to ${statesText.split(" to ")[1]}`))
      report(differences, piece, "transition-narrowed", `no longer goes from ${statesText}`, undefined, {
        place: { in: "old", position: of[0]?.end.position ?? piece.position },
      });
}

function compareWay(
  was: readonly TransitionEnd[],
  now: readonly TransitionEnd[],
  piece: Piece,
  statesText: string,
  differences: Differences,
): void {
  const at = now[0]?.position;
  const guard = (ends: readonly TransitionEnd[]) =>
    anyOf(ends.map((end) => end.guard?.condition.node ?? allOf([])));
  const change = changeOf(guard(was), guard(now));
  if (change !== "same") {
    const rule = (
      { stricter: "transition-narrowed", looser: "transition-widened", other: "transition-changed" } as const
    )[change];
    const words = { stricter: "in fewer cases", looser: "in more cases", other: "in other cases" }[change];
    report(differences, piece, rule, `goes from ${statesText} ${words}`, at);
  }
  const codes = (ends: readonly TransitionEnd[]) => ends.map((end) => end.guard?.otherwise);
  if (!sameMeaning(codes(was), codes(now)))
    report(differences, piece, "error-changed", `is rejected with another code from ${statesText}`, at);
  // All readers of the records may notice what a transition does.
  const { operations: _fired, ...forAll } = piece;
  const triggers = (ends: readonly TransitionEnd[]) => ends.map(({ trigger }) => trigger);
  if (!sameMeaning(triggers(was), triggers(now)))
    report(
      differences,
      forAll,
      "timer-changed",
      `goes from ${statesText} at another time, or by another trigger`,
      at,
    );
  const effects = (ends: readonly TransitionEnd[]) => ends.map((end) => end.effects);
  if (!sameMeaning(effects(was), effects(now)))
    report(differences, forAll, "transition-changed", `has other effects from ${statesText}`, at);
}
