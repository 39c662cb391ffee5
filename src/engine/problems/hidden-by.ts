/**
 * Hidden records: finds the line that hides an existing record, in `Where` of its path or of the
 * endpoint, or in `Visible` of its resource. The client receives *not found* for each of these
 * reasons (part 4, "Where"); the operator may see the line. The search runs only if the service is
 * observed, and only for records that were not found.
 */
import type { Node } from "../../expressions/node.ts";
import type { Frame } from "../../expressions/value.ts";
import type { Position } from "../../source/source.ts";
import type { Session } from "../../store/store.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "../records/plan-context.ts";

/** A condition and its position in the document. */
export interface HidingCondition {
  readonly node: Node;
  readonly position: Position;
}

/** Finds the hiding line after a record was not found; undefined if no line hides one. */
export type HiddenBy = (session: Session, frame: Frame) => Awaitable<Position | undefined>;

const notObserved: HiddenBy = () => undefined;

/**
 * @param picked the condition that selects the record
 * @param narrowing the conditions that may hide the record, in the order in which they are reported
 */
export function planHiddenBy(
  context: PlanContext,
  resource: string,
  picked: readonly Node[],
  narrowing: readonly HidingCondition[],
): HiddenBy {
  if (!context.isObserved || narrowing.length === 0) return notObserved;
  const prepare = (count: number) =>
    context.store.prepareRecords({
      resource,
      where: [...picked, ...narrowing.slice(0, count).map(({ node }) => node)],
      order: [],
    });
  let queries: readonly ReturnType<typeof prepare>[] | undefined;
  return (session, frame) => {
    // Prepared on first use, because most requests find their records.
    queries ??= [undefined, ...narrowing].map((_, count) => prepare(count));
    const all = queries;
    /**
     * Runs the query with the first `count` conditions. The first query without a result identifies
     * the condition that hides the record.
     */
    const look = (count: number): Awaitable<Position | undefined> => {
      const query = all[count];
      if (!query) return undefined;
      return after(session.record(query, frame), (found) =>
        found ? look(count + 1) : narrowing[count - 1]?.position,
      );
    };
    return look(0);
  };
}
