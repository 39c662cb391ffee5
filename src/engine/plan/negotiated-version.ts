/** A version as it is spoken: its endpoints' plans, each made once, and the words of its error bodies. */
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type EndpointPlan, planEndpoint } from "./endpoint-plan.ts";
import type { SharedPlans } from "./shared-plans.ts";
import { createProblemWriter, type ProblemWriter } from "../problems/problem-writer.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { ServedVersion } from "../steps/version.ts";
import { inVersion } from "../versions/in-version.ts";

/** The plans of one version: its endpoints, and error bodies in its words. */
export interface NegotiatedVersion {
  /** Undefined for an endpoint that came later, or was taken away: it is no path of the version. */
  planOf(endpoint: Endpoint): EndpointPlan | undefined;
  readonly problems: ProblemWriter;
}

export function planVersion(
  context: PlanContext,
  version: ServedVersion,
  shared: SharedPlans,
): NegotiatedVersion {
  const own = inVersion(context, version);
  const problems = version.view ? createProblemWriter(own, shared.mediaType) : shared.problems;
  const planOf = memoizeBy((endpoint: Endpoint) =>
    version.serves(endpoint) ? planEndpoint(own, endpoint, { ...shared, problems }) : undefined,
  );
  return { planOf, problems };
}
