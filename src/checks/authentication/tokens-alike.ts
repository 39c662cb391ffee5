/**
 * Part 5: two schemes whose tokens can't be distinguished by anything stated. The service's own
 * tokens name their scheme; those issued elsewhere don't. With public keys, User 1 would be
 * authenticated as Admin 1; with a shared secret, every token would be rejected.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Model, Scheme } from "../../model/model.ts";
import { acceptingSchemes } from "../../model/authentication/token-kinds.ts";
import type { Check } from "../check.ts";

export const tokensAlike: Check = (model, reporter) => {
  const reported = new Set<Scheme>();
  for (const scheme of model.authentication.schemes) {
    const { signedWith } = scheme;
    if (!signedWith || ("secretEnv" in signedWith && makesTokens(model))) continue;
    const acceptingScheme = acceptingSchemes(model, scheme).find((scheme) => !reported.has(scheme));
    if (!acceptingScheme) continue;
    reported.add(scheme);
    reporter.report("authentication/tokens-alike", signedWith.position, {
      scheme: scheme.name,
      other: acceptingScheme.name,
      isRefused: "secretEnv" in signedWith,
    });
  }
};

/** Whether the document makes tokens itself: some expression calls `token`. */
function makesTokens(model: Model): boolean {
  return expressionsIn(model).some(({ expression }) =>
    someNode(expression.node, (node) => node.op === "call" && node.function === "token"),
  );
}
