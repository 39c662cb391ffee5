/** Which records each commit has changed, for whoever shows some of them: by resource their rows, null where they are too many to name. */
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
