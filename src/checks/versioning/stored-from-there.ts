/** Part 9, `Stored from`: it names a step whose heading was removed, so no existing heading. */
import type { Check } from "../check.ts";

export const storedFromThere: Check = ({ versioning: { storedFrom, storedChanges } }, reporter) => {
  if (storedFrom && storedChanges.some(({ name }) => name === storedFrom.text))
    reporter.report("versioning/stored-from-there", storedFrom.position, { name: storedFrom.text });
};
