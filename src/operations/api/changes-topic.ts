/** Which records each commit has changed, for whoever shows some of them: by resource their rows, null where they are too many to name. */
import type { Store } from "../../store/store.ts";
import { topic } from "./topic.ts";

type Changed = ReadonlyMap<string, ReadonlySet<number> | null>;

/** A reset or a restore of a data space puts another store in the place of the one that is watched: looked at so often, in milliseconds. */
const lookEveryMs = 1_000;

/** Rows of one resource that are named in one frame. */
const rowsMax = 200;

export const changesTopic = topic<Changed>({
  name: "changes",
  keeps: "rows",
  begin(space, push) {
    const storeOf = () => space.service.inside.context.store;
    const watch = (store: Store) => store.onCommit(({ changed }) => push(changed));
    let watched = storeOf();
    let stop = watch(watched);
    const looking = setInterval(() => {
      if (storeOf() === watched) return;
      stop();
      watched = storeOf();
      stop = watch(watched);
      push(new Map(space.service.model.resources.map(({ name }) => [name, null])));
    }, lookEveryMs).unref();
    return () => {
      clearInterval(looking);
      stop();
    };
  },
  tell: (changed) => ({
    changed: Object.fromEntries(
      [...changed].map(([resource, rows]) => [resource, rows && rows.size <= rowsMax ? [...rows] : null]),
    ),
  }),
});
