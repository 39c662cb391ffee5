/** Part 5: what is signed is a token, and of a token a claim says whose it is. */
import type { Check } from "../check.ts";

export const signedWithoutClaim: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { name, credentials, signedAt } of schemes) {
    if (!signedAt || !credentials || credentials.fromClaim !== undefined) continue;
    const related = [{ position: credentials.position, message: "No claim is named here." }];
    reporter.report("authentication/signed-without-claim", signedAt, { scheme: name }, related);
  }
};
