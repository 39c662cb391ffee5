/**
 * Changes topic: the records that each commit changed, for clients that show them. It lists the rows by resource;
 * null if they are too many to list.
 */
import { topic } from "./topic.ts";

type Changed = ReadonlyMap<string, ReadonlySet<number> | null>;

/** Rows of one resource that are named in one frame. */
const rowsMax = 200;

export const changesTopic = topic<Changed>({
  name: "changes",
  delivers: "rows",
  start: ({ service }, push) => service.internals.context.store.onCommit(({ changed }) => push(changed)),
  serialize: (changed) => ({
    changed: Object.fromEntries(
      [...changed].map(([resource, rows]) => [resource, rows && rows.size <= rowsMax ? [...rows] : null]),
    ),
  }),
});
