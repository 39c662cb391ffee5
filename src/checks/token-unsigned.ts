/**
 * Part 5: `token(user)` makes a token as a scheme of User says. Where no scheme of that resource takes signed tokens, nobody can make
 * one; where that is only not shown, it is a gap and no mistake. Tokens that others sign (`keys at`) are answered 501.
 */
import { expressionsIn } from "../expressions/expressions-in.ts";
import type { Node } from "../expressions/node.ts";
import { nodesWithin } from "../model/build/endpoints/nodes-within.ts";
import type { Model } from "../model/model.ts";
import type { Check } from "./check.ts";

export const tokenUnsigned: Check = (model, reporter) => {
  const { gap, schemes } = model.authentication;
  if (gap || schemes.some((scheme) => scheme.gap)) return;
  for (const { expression } of expressionsIn(model)) {
    const resource = resourcesOfTokens(expression.node).find((one) => !signs(model, one));
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

function signs({ authentication }: Model, resource: string): boolean {
  return authentication.schemes.some(
    ({ credentials, signedWith }) =>
      credentials?.resource === resource && credentials.fromClaim !== undefined && signedWith !== undefined,
  );
}
