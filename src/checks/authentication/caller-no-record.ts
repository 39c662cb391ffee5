/** Part 5, `Caller`: the caller is always a record. */
import type { Check } from "../check.ts";

export const callerNoRecord: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { caller } of schemes) {
    const kind = caller?.node.type.kind ?? "any";
    if (caller && kind !== "record" && kind !== "any")
      reporter.report("authentication/caller-no-record", caller.position, { kind });
  }
};
