/** Part 5: a signed credential is a token, and one of its claims names the record. */
import type { Check } from "../check.ts";

export const signedWithoutClaim: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { name, credentials, signedAt } of schemes) {
    if (!signedAt || !credentials || credentials.fromClaim !== undefined) continue;
    const related = [{ position: credentials.position, message: "No claim is named here." }];
    reporter.report("authentication/signed-without-claim", signedAt, { scheme: name }, related);
  }
};
