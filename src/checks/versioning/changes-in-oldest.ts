/** Part 9: what a version says has changed is against the one before it, and before the oldest there is none. */
import { newestFirst } from "../../model/version-order.ts";
import type { Check } from "../check.ts";

export const changesInOldest: Check = ({ versioning: { versions } }, reporter) => {
  const oldest = newestFirst(versions).at(-1);
  for (const position of oldest?.changesAt ?? [])
    reporter.report("versioning/changes-in-oldest", position, { name: oldest?.name ?? "" });
};
