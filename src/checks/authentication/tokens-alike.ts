/**
 * Part 5: two schemes whose tokens nothing that is stated tells apart. The service's own say which scheme they are for; those made elsewhere
 * don't, and then User 1 would be let in as Admin 1 (public keys), or nobody would (a shared secret).
 */
import { expressionsIn } from "../../expressions/expressions-in.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Model, Scheme } from "../../model/model.ts";
import { mistakenFor } from "../../model/token-kinds.ts";
import type { Check } from "../check.ts";

export const tokensAlike: Check = (model, reporter) => {
  const reported = new Set<Scheme>();
  for (const scheme of model.authentication.schemes) {
    const { signedWith } = scheme;
    if (!signedWith || ("secretEnv" in signedWith && makesTokens(model))) continue;
    const other = mistakenFor(model, scheme).find((scheme) => !reported.has(scheme));
    if (!other) continue;
    reported.add(scheme);
    reporter.report("authentication/tokens-alike", signedWith.position, {
      scheme: scheme.name,
      other: other.name,
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
