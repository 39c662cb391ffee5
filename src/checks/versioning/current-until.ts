/** Part 9: the current version has no end date. */
import type { Check } from "../check.ts";

export const currentUntil: Check = ({ versioning }, reporter) => {
  for (const { name, status, untilAt } of versioning.versions)
    if (status === "current" && untilAt) reporter.report("versioning/current-until", untilAt, { name });
};
