/** Part 5: what ends with a field is a token of the service's own; any other credential is good as long as its record is there. */
import type { Check } from "../check.ts";

export const endsWithoutToken: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { name, credentials, signedWith, endsWith, gap } of schemes) {
    if (!endsWith || !credentials || gap) continue;
    const isOwn = credentials.fromClaim !== undefined && (!signedWith || "secretEnv" in signedWith);
    if (!isOwn) reporter.report("authentication/ends-without-token", endsWith.position, { scheme: name });
  }
};
