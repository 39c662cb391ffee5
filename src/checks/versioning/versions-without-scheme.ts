/** Part 9: a document without a version scheme has one version. */
import type { Check } from "../check.ts";

export const versionsWithoutScheme: Check = ({ versioning: { scheme, versions } }, reporter) => {
  const second = versions[1];
  if (scheme?.kind !== "none" || !second) return;
  reporter.report("versioning/versions-without-scheme", second.position, { name: second.name });
};
