/**
 * Part 5: `token(user)` makes a token as a scheme of User defines it. A scheme must sign it with a
 * secret (a scheme with `keys at` accepts tokens that others sign). Without such a scheme no token
 * can be made. If the secret is only not shown, that is a gap and no mistake.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import { tokenMakers } from "../../model/authentication/token-kinds.ts";
import type { Check } from "../check.ts";

export const tokenUnsigned: Check = (model, reporter) => {
  const { gap, schemes } = model.authentication;
  if (gap || schemes.some((scheme) => scheme.gap)) return;
  for (const { expression } of expressionsIn(model)) {
    const resource = resourcesOfTokens(expression.node).find((name) => tokenMakers(model, name).length === 0);
    if (resource !== undefined)
      reporter.report("authentication/token-unsigned", expression.position, { resource });
  }
};

function resourcesOfTokens(root: Node): readonly string[] {
  return [...nodesWithin(root)].flatMap((node) => {
    if (node.op !== "call" || node.function !== "token") return [];
    const [of] = node.args;
    return of?.type.kind === "record" ? [of.type.resource] : [];
  });
}
