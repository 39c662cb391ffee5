/** Part 9, `Stored from`: it names a step whose heading has gone, so none that still stands there. */
import type { Check } from "../check.ts";

export const storedFromThere: Check = ({ versioning: { storedFrom, storedChanges } }, reporter) => {
  if (storedFrom && storedChanges.some(({ name }) => name === storedFrom.text))
    reporter.report("versioning/stored-from-there", storedFrom.position, { name: storedFrom.text });
};
