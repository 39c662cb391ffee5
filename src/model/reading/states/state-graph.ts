/** State graph: which states a row leaves, and where each state is named. */
import { positionIn } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { MachineDraft } from "./machine-draft.ts";

/** The states that some transition leaves; all others are final. */
export function nonFinalStates({ states, ends }: MachineDraft): ReadonlySet<string> {
  const left = new Set<string>();
  for (const { from, to } of ends) {
    if (to === "same") continue;
    for (const state of from === "any" ? states : from) if (state !== to) left.add(state);
  }
  return left;
}

/** The first position of a state's name in the From cells, otherwise the name of a row that leads to it. */
export function positionOf(state: string, { ends, name }: MachineDraft): Position {
  const end = ends.find((end) => end.to === state || (end.from !== "any" && end.from.includes(state)));
  const phrase = end?.fromPhrase;
  const at = phrase ? (phrase.text.split(/[,\s`"]+/).includes(state) ? phrase.text.indexOf(state) : -1) : -1;
  return phrase && at !== -1 ? positionIn(phrase, at, at + state.length) : positionIn(end?.name ?? name);
}
