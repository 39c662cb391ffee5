/** A version as it is spoken: its endpoints' plans, made once when the service starts, and the words of its error bodies. */
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type EndpointPlan, planEndpoint } from "./endpoint-plan.ts";
import type { SharedPlans } from "./shared-plans.ts";
import { createProblemWriter, type ProblemWriter } from "../problems/answer.ts";
import type { ServedVersion } from "../steps/version.ts";
import { inVersion } from "../versions/in-version.ts";

/** The plans of one version: its endpoints, and error bodies in its words. */
export interface SpokenVersion {
  readonly plans: ReadonlyMap<Endpoint, EndpointPlan>;
  readonly problems: ProblemWriter;
}

export function planVersion(
  context: PlanContext,
  version: ServedVersion,
  shared: SharedPlans,
): SpokenVersion {
  const own = inVersion(context, version);
  const problems = version.view ? createProblemWriter(own, shared.mediaType) : shared.problems;
  const plans = new Map<Endpoint, EndpointPlan>();
  for (const endpoint of context.model.endpoints) {
    // An endpoint that came later, or was taken away, is no path of the version.
    if (!version.serves(endpoint)) continue;
    plans.set(endpoint, planEndpoint(own, endpoint, { ...shared, problems }));
  }
  return { plans, problems };
}
