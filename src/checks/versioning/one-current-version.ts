/** Part 9: the document describes exactly one version, the current one. */
import type { Check } from "../check.ts";

export const oneCurrentVersion: Check = ({ versioning: { versions } }, reporter) => {
  const [first, ...others] = versions.filter((version) => version.status === "current");
  const [top] = versions;
  if (!first) {
    if (top) reporter.report("versioning/no-current", top.position, {});
    return;
  }
  const related = [{ position: first.position, message: "First defined here." }];
  for (const { name, position } of others)
    reporter.report("versioning/second-current", position, { name }, related);
};
