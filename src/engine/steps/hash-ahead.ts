/**
 * Early password hashing: hashes passwords that are to be stored before the action starts.
 * Otherwise, hashing in a worker repeats the request (`secrets/hashed-secrets.ts`), which is
 * impossible after a function of the author's module was called.
 */
import { signsIn } from "../../model/endpoints/does.ts";
import { partAt } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { type RequestContext, sentValue } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";

/** Returns undefined if there is nothing to hash, or if it can be hashed later. */
export function planHashAhead(
  { writing }: PlanContext,
  { inputs, does }: Endpoint,
): ((request: RequestContext) => void) | undefined {
  const sent = inputs.filter(({ type, sets }) => type.kind === "password" && sets !== undefined);
  const isSignIn = does.every(signsIn);
  if (writing.repeatable || isSignIn || sent.length === 0) return undefined;
  return (request) => {
    const { ports } = request.evaluation.frame;
    for (const input of sent) {
      const texts = request.inputs.elements?.map((body) => partAt(body, input.name)) ?? [
        sentValue(request, input),
      ];
      for (const text of texts) if (typeof text === "string") ports.hashPassword(text);
    }
  };
}
