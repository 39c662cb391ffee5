/**
 * Which line hides a record that is there: `Where` of its path or of the endpoint, or `Visible` of its resource. Whoever asks for it is
 * told that it isn't there, whatever the reason is (part 4, "Where"); whoever runs the service may know. So it is only asked where somebody
 * observes the service, and only of what was not found.
 */
import type { Node } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { EvaluationContext } from "../evaluation/context.ts";

/** A condition, and its place in the document. */
export interface Narrowing {
  readonly node: Node;
  readonly position: Position;
}

/** To be asked where nothing was found; undefined where no line hides anything. */
export type HiddenBy = (evaluation: EvaluationContext) => Awaitable<Position | undefined>;

const notObserved: HiddenBy = () => undefined;

/** @param picked what picks the record; @param narrowing what may hide it, in the order in which it is told */
export function planHiddenBy(
  context: PlanContext,
  resource: string,
  picked: readonly Node[],
  narrowing: readonly Narrowing[],
): HiddenBy {
  if (!context.isObserved || narrowing.length === 0) return notObserved;
  const prepare = (count: number) =>
    context.store.prepareRecords({
      resource,
      where: [...picked, ...narrowing.slice(0, count).map(({ node }) => node)],
      order: [],
    });
  let queries: readonly ReturnType<typeof prepare>[] | undefined;
  return (evaluation) => {
    // Made when they are first wanted: most records are never hidden.
    queries ??= [undefined, ...narrowing].map((_, count) => prepare(count));
    const all = queries;
    /** With `count` of the conditions: the first that finds nothing any more is what hides it. */
    const look = (count: number): Awaitable<Position | undefined> => {
      const query = all[count];
      if (!query) return undefined;
      return after(evaluation.work.session.record(query, evaluation.frame), (found) =>
        found ? look(count + 1) : narrowing[count - 1]?.position,
      );
    };
    return look(0);
  };
}
