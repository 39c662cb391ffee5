/** Part 9: changes of a version are relative to the version before it, and the oldest has none. */
import { newestFirst } from "../../model/versions/version-order.ts";
import type { Check } from "../check.ts";

export const changesInOldest: Check = ({ versioning: { versions } }, reporter) => {
  const oldest = newestFirst(versions).at(-1);
  for (const position of oldest?.changesAt ?? [])
    reporter.report("versioning/changes-in-oldest", position, { name: oldest?.name ?? "" });
};
