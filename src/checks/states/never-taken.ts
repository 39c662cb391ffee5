/**
 * Part 3: of several ends of a transition the first whose guard holds applies. Ends after one
 * without a guard are unreachable.
 */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Transition, TransitionEnd } from "../../model/model.ts";
import type { Check } from "../check.ts";

const anyState = "any";

export const neverTaken: Check = ({ resources }, reporter) => {
  // Timers of one name may have different due times. Only ends with the same trigger time are
  // alternatives.
  for (const { states } of resources)
    for (const transition of states?.transitions ?? [])
      for (const kind of ["call", "immediately"] as const)
        reportHidden(
          transition,
          transition.ends.filter((end) => !end.gap && end.trigger.kind === kind),
          reporter,
        );
};

function reportHidden({ name }: Transition, ends: readonly TransitionEnd[], reporter: Reporter): void {
  const before = new Map<string, TransitionEnd>();
  for (const end of ends) {
    const froms = end.from === "any" ? [anyState] : end.from;
    const hides =
      before.get(anyState) ??
      (froms.every((state) => before.has(state)) ? before.get(froms[0] ?? "") : undefined);
    if (hides) {
      const related = [
        { position: hides.position, message: "This row applies first, because it has no guard." },
      ];
      reporter.report("states/never-taken", end.nameAt, { transition: name }, related);
    } else if (!end.guard && !end.unread)
      for (const state of froms) if (!before.has(state)) before.set(state, end);
  }
}
