/**
 * Where a request's work may call functions of the author's module, what is slow in it can't be done aside any more once one was called
 * (`secrets/slow-secrets.ts`). So the passwords that were sent to be kept are hashed before the operation begins.
 */
import { signsIn } from "../../model/does.ts";
import type { Endpoint } from "../../model/model.ts";
import { type RequestContext, sentValue } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";

/** Undefined where there is nothing to hash, or time for it later. */
export function planHashAhead(
  { writing }: PlanContext,
  { inputs, does }: Endpoint,
): ((request: RequestContext) => void) | undefined {
  const sent = inputs.filter(({ type, sets }) => type.kind === "password" && sets !== undefined);
  const isSignIn = does.every(signsIn);
  if (writing.repeatable || isSignIn || sent.length === 0) return undefined;
  return (request) => {
    for (const input of sent) {
      const text = sentValue(request, input);
      if (typeof text === "string") request.evaluation.frame.ports.hashPassword(text);
    }
  };
}
