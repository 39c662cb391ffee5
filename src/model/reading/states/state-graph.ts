/** The laws of a machine as a graph: every state can be reached, every row can be taken. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { positionIn } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { EndDraft, MachineDraft } from "./machine-draft.ts";

/** A row from `any` leads on from every state; one name for all of them keeps the graph small. No state is called so. */
const anyState = "any";

/** `initial` are the states in which records begin; undefined where that isn't known. */
export function checkGraph(
  machine: MachineDraft,
  initial: readonly string[] | undefined,
  reporter: Reporter,
): void {
  checkReached(machine, initial, reporter);
  checkTaken(machine, reporter);
}

/** The states that some transition leaves; all others are final. */
export function statesLeft({ states, ends }: MachineDraft): ReadonlySet<string> {
  const left = new Set<string>();
  for (const { from, to } of ends) {
    if (to === "same") continue;
    for (const state of from === "any" ? states : from) if (state !== to) left.add(state);
  }
  return left;
}

/** From state to states, by rows that change it. */
function stepsOf(ends: readonly EndDraft[]): Map<string, Set<string>> {
  const steps = new Map<string, Set<string>>();
  for (const { from, to } of ends) {
    for (const state of from === "any" ? [anyState] : from) {
      const known = steps.get(state) ?? new Set();
      // A row to `same` comes back to where it was.
      known.add(to === "same" ? state : to);
      steps.set(state, known);
    }
  }
  return steps;
}

/** Part 3: a state that no transition reaches is a warning. */
function checkReached(
  machine: MachineDraft,
  initial: readonly string[] | undefined,
  reporter: Reporter,
): void {
  // Without a start, or with rows that are open, nothing can be called out of reach.
  if (
    !machine.field ||
    machine.initialGap ||
    !initial ||
    initial.length === 0 ||
    machine.ends.some((end) => end.gap || end.unread)
  )
    return;
  const steps = stepsOf(machine.ends);
  const reached = new Set([anyState, ...initial]);
  const open = [...reached];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const next of steps.get(state) ?? []) {
      if (!reached.has(next)) open.push(next);
      reached.add(next);
    }
  }
  const unreached = machine.states.filter((state) => !reached.has(state));
  for (const state of unreached)
    reporter.report("states/unreached-state", placeOf(state, machine), {
      state,
      resource: machine.name.text,
    });
}

/** The first place of a state's name in the From cells; else the name of a row that leads to it. */
function placeOf(state: string, { ends, name }: MachineDraft): Position {
  const end = ends.find((one) => one.to === state || (one.from !== "any" && one.from.includes(state)));
  const phrase = end?.fromPhrase;
  const at = phrase ? (phrase.text.split(/[,\s`"]+/).includes(state) ? phrase.text.indexOf(state) : -1) : -1;
  return phrase && at !== -1 ? positionIn(phrase, at, at + state.length) : positionIn(end?.name ?? name);
}

/** Of several ends of one name the first whose guard holds is taken: behind those without a guard, none is. */
function checkTaken({ ends }: MachineDraft, reporter: Reporter): void {
  const covered = new Map<string, Map<string, EndDraft>>();
  for (const end of ends) {
    // Timers of one name may differ in when they are due; only what is asked for at once is chosen among.
    if (end.gap || (end.trigger.kind !== "call" && end.trigger.kind !== "immediately")) continue;
    const key = `${end.name.text} ${end.trigger.kind}`;
    const before = covered.get(key) ?? new Map<string, EndDraft>();
    covered.set(key, before);
    const froms = end.from === "any" ? [anyState] : end.from;
    const hides =
      before.get(anyState) ??
      (froms.every((state) => before.has(state)) ? before.get(froms[0] ?? "") : undefined);
    if (hides) {
      const related = [
        { position: hides.position, message: "This row is taken first, for it has no guard." },
      ];
      reporter.report("states/never-taken", positionIn(end.name), { transition: end.name.text }, related);
    } else if (!end.guard) for (const state of froms) before.set(state, before.get(state) ?? end);
  }
}
