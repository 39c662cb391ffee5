/**
 * Record lookup by row number, the only property of a record that no change and no document can
 * alter.
 */
import { types } from "../../expressions/type.ts";
import type { Frame, RecordValue } from "../../expressions/value.ts";
import type { Query, Session } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { equalsNode, fieldNode, namedNode, thisNode } from "../evaluation/nodes.ts";

/** Returns the current record, also if soft-deleted; null if it no longer exists. */
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
    const row = fieldNode(thisNode(resource), "#row", types.integer);
    const where = [equalsNode(row, namedNode("#row", types.integer))];
    const query = store.prepareRecords({ resource, where, order: [], deletedToo: true });
    queries.set(resource, query);
    return query;
  };
  return (resource, row, session, frame) =>
    session.record(queryOf(resource), { ...frame, named: { ...frame.named, "#row": row } });
}
