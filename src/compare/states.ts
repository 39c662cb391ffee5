/** Compares the states and transitions of a resource. */
import type { Model, StateMachine, Transition, TransitionEnd } from "../model/model.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import { operationsThatFire } from "./audiences.ts";
import type { Differences } from "./difference.ts";
import { allOf, anyOf, changeOf, convertedFields, sameMeaning } from "./meaning.ts";
import { linesOfRenamedState } from "./part-nine.ts";
import type { RuleName } from "./rules.ts";

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
  const both = [...names(was).intersection(names(now))];
  // Without a state field, transitions lead from `any` to the same.
  const statesInBoth = both.length > 0 ? both : ["any"];
  const transitions = new Map(was.transitions.map((transition) => [transition.name, transition]));
  for (const transition of now.transitions) {
    const previous = transitions.get(transition.name);
    const of = pieceOf(after, transition);
    if (!previous) report(differences, of, "transition-widened", "is a new transition");
    else compareTransition(previous, transition, statesInBoth, of, differences);
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

/** One step of a transition: from one state to another. */
interface Way {
  readonly from: string;
  readonly to: string;
  readonly ends: readonly TransitionEnd[];
}

/** A difference of a way. Ways that a row of the document has together are reported together. */
interface WayDifference {
  readonly rule: RuleName;
  /** For all readers of the records, because they may notice what a transition does. */
  readonly isForAll?: true;
  readonly what: (states: string) => string;
}

/**
 * Compares transitions. An end of a transition is one of its rows: from some states to one state.
 * @param states the states that both documents have, for rows from `any`
 */
function compareTransition(
  was: Transition,
  now: Transition,
  states: readonly string[],
  piece: Piece,
  differences: Differences,
): void {
  const [old, current] = [waysOf(was, states), waysOf(now, states)];
  const found = [...current].flatMap(([name, way]) => {
    const oldWay = old.get(name);
    const differing: readonly WayDifference[] = oldWay
      ? differencesOfWay(oldWay.ends, way.ends)
      : [{ rule: "transition-widened", what: (text) => `goes from ${text} now` }];
    return differing.map((difference) => ({ ...difference, way }));
  });
  const removed = [...old].flatMap(([name, way]) =>
    current.has(name)
      ? []
      : [
          {
            rule: "transition-narrowed",
            what: (text: string) => `no longer goes from ${text}`,
            way,
          } as const,
        ],
  );
  const { operations: _fired, ...forAll } = piece;
  for (const [{ rule, isForAll, what, way }, text] of byRow(found, states))
    report(differences, isForAll ? forAll : piece, rule, what(text), way.ends[0]?.position);
  for (const [{ rule, what, way }, text] of byRow(removed, states))
    report(differences, piece, rule, what(text), undefined, {
      place: { in: "old", position: way.ends[0]?.position ?? piece.position },
    });
}

/** The ways of a transition by their states, such as `open to paid`. */
function waysOf({ ends }: Transition, states: readonly string[]): ReadonlyMap<string, Way> {
  const ways = new Map<string, Way>();
  for (const end of ends) {
    const to = end.same ? "same" : end.to;
    for (const from of end.from === "any" ? states : end.from) {
      const name = `${from} to ${to}`;
      ways.set(name, { from, to, ends: [...(ways.get(name)?.ends ?? []), end] });
    }
  }
  return ways;
}

/** The first of the same differences in a row of the document, each with the states of all of them as text. */
function byRow<One extends WayDifference & { readonly way: Way }>(
  found: readonly One[],
  states: readonly string[],
): readonly (readonly [One, string])[] {
  const rows = Map.groupBy(found, ({ rule, what, way }) =>
    JSON.stringify([rule, what(""), way.to, way.ends[0]?.position.start.offset]),
  );
  return [...rows.values()].flatMap((row) => {
    const [first] = row;
    if (!first) return [];
    const isAny = first.way.ends[0]?.from === "any" && row.length === states.length;
    const from = isAny ? "any" : row.map(({ way }) => way.from).join(", ");
    return [[first, `${from} to ${first.way.to}`] as const];
  });
}

function differencesOfWay(
  was: readonly TransitionEnd[],
  now: readonly TransitionEnd[],
): readonly WayDifference[] {
  const found: WayDifference[] = [];
  const guard = (ends: readonly TransitionEnd[]) =>
    anyOf(ends.map((end) => end.guard?.condition.node ?? allOf([])));
  const change = changeOf(guard(was), guard(now));
  if (change !== "same") {
    const [rule, cases] = guardChanges[change];
    found.push({ rule, what: (states) => `goes from ${states} in ${cases} cases` });
  }
  const isOther = (read: (end: TransitionEnd) => unknown) => !sameMeaning(was.map(read), now.map(read));
  if (isOther(({ guard }) => guard?.otherwise))
    found.push({ rule: "error-changed", what: (states) => `is rejected with another code from ${states}` });
  if (isOther(({ trigger }) => trigger))
    found.push({
      rule: "timer-changed",
      isForAll: true,
      what: (states) => `goes from ${states} at another time, or by another trigger`,
    });
  if (isOther(({ effects }) => effects))
    found.push({
      rule: "transition-changed",
      isForAll: true,
      what: (states) => `has other effects from ${states}`,
    });
  return found;
}

const guardChanges = {
  stricter: ["transition-narrowed", "fewer"],
  looser: ["transition-widened", "more"],
  other: ["transition-changed", "other"],
} as const;
