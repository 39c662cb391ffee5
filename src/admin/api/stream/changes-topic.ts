/**
 * Changes topic: the records that each commit changed, for clients that display them. It lists the
 * rows of each resource, or null if there are too many to list.
 */
import { topic } from "./topic.ts";

type Changed = ReadonlyMap<string, ReadonlySet<number> | null>;

/** The maximum number of rows of one resource in a frame. */
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
