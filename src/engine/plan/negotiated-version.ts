/**
 * Negotiated version: the plans of a version's endpoints, each created once, and the version's
 * error bodies.
 */
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type EndpointPlan, planEndpoint } from "./endpoint-plan.ts";
import type { SharedPlans } from "./shared-plans.ts";
import { createProblemWriter, type ProblemWriter } from "../problems/problem-writer.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { ServedVersion } from "../steps/version.ts";
import { inVersion } from "../versions/in-version.ts";

/** The endpoints' plans and the error bodies of one version. */
export interface NegotiatedVersion {
  /**
   * Returns undefined for an endpoint that the version does not have, because it was added later or
   * removed.
   */
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
