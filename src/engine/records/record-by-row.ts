/** Record by row: returns the current record, also if soft-deleted; null if it no longer exists. */
import type { Frame, RecordValue } from "../../expressions/value.ts";
import type { Query, Session } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { rowEquals } from "../evaluation/nodes.ts";
import { bind } from "../../expressions/parameters.ts";

export type RecordByRow = (
  resource: string,
  row: number,
  session: Session,
  frame: Frame,
) => Awaitable<RecordValue | null>;

export function planRecordByRow({ store }: Pick<PlanContext, "store">): RecordByRow {
  const queries = new Map<string, Query<RecordValue>>();
  const queryOf = (resource: string) => {
    const known = queries.get(resource);
    if (known) return known;
    const query = store.prepareRecords({
      resource,
      where: [rowEquals(resource)],
      order: [],
      includesDeleted: true,
    });
    queries.set(resource, query);
    return query;
  };
  return (resource, row, session, frame) => session.record(queryOf(resource), bind(frame, { row }));
}
