/**
 * `Accept` check (part 4): applies only if part 7 has a row for *not acceptable*. Errors are
 * returned whatever a request accepts.
 */
import { statedMediaTypes } from "../../model/endpoints/answer-types.ts";
import type { Endpoint } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import { negotiate } from "../http/accept.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { Problem } from "../problem.ts";
import { hasRowFor } from "../../model/errors/error-rows.ts";

export type CheckAccept = (request: RequestContext) => void;

/** @param mediaType the service's default media type */
export function planAccept(context: PlanContext, endpoint: Endpoint, mediaType: string): CheckAccept {
  const answersNothing =
    !endpoint.stream && endpoint.returns.every((response) => response.kind === "nothing");
  // A version in `Accept` was already evaluated and states no media type.
  const isVersion = context.model.versioning.scheme?.kind === "media type";
  if (answersNothing || isVersion || !hasRowFor(context.model, "not acceptable")) return () => {};
  const plain = endpoint.does.some((does) => does.kind !== "stream");
  const stated = plain ? statedMediaTypes(endpoint, mediaType) : [];
  // If the response's type comes from the record, it cannot be checked yet.
  if (!stated) return () => {};
  const offered = [...(endpoint.stream ? ["text/event-stream"] : []), ...stated];
  return ({ headers }) => {
    const sent = headers["accept"];
    if (negotiate(sent, offered) !== undefined) return;
    throw new Problem(
      {
        condition: "not acceptable",
        value: sent ?? null,
        problem: `only ${offered.join(" or ")} is available`,
      },
      { because: endpoint.position },
    );
  };
}
