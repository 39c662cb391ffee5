/** How often a transition was fired recently, summed over its ends. */
import type { ResourceStates } from "../../../../src/admin/api/states.ts";

export interface FiredCounts {
  readonly minute: number;
  readonly hour: number;
}

/** @param way only transitions between these states; an absent end means any */
export function firedCounts(
  { flow }: Pick<ResourceStates, "flow">,
  transition: string,
  way: { readonly from?: string | undefined; readonly to?: string | undefined } = {},
): FiredCounts {
  const transitionFlow = flow.filter(
    (one) =>
      one.transition === transition &&
      (way.from === undefined || one.from === way.from) &&
      (way.to === undefined || one.to === way.to),
  );
  const sum = (of: (one: (typeof transitionFlow)[number]) => number) =>
    transitionFlow.reduce((all, one) => all + of(one), 0);
  return { minute: sum((one) => one.minute), hour: sum((one) => one.hour) };
}
