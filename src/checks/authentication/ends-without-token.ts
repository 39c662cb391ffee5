/**
 * Part 5: only a token of the service itself can end with a field. Any other credential is valid as
 * long as its record exists.
 */
import type { Check } from "../check.ts";

export const endsWithoutToken: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { name, credentials, signedWith, endsWith, gap } of schemes) {
    if (!endsWith || !credentials || gap) continue;
    const isOwn = credentials.fromClaim !== undefined && (!signedWith || "secretEnv" in signedWith);
    if (!isOwn) reporter.report("authentication/ends-without-token", endsWith.position, { scheme: name });
  }
};
