/** Transition counts: how often a transition was fired recently, summed over its ends. */
import type { ResourceStates } from "../../../../src/admin/api/records/states.ts";

export interface FiredCounts {
  readonly minute: number;
  readonly hour: number;
}

/** @param states only transitions between these states; an absent end means any */
export function firedCounts(
  { flow }: Pick<ResourceStates, "flow">,
  transition: string,
  states: { readonly from?: string | undefined; readonly to?: string | undefined } = {},
): FiredCounts {
  const transitionFlow = flow.filter(
    (entry) =>
      entry.transition === transition &&
      (states.from === undefined || entry.from === states.from) &&
      (states.to === undefined || entry.to === states.to),
  );
  const sum = (of: (entry: (typeof transitionFlow)[number]) => number) =>
    transitionFlow.reduce((all, entry) => all + of(entry), 0);
  return { minute: sum((entry) => entry.minute), hour: sum((entry) => entry.hour) };
}
