/** Version negotiation (part 9), and the endpoint's plan in the negotiated version. */
import type { Value } from "../../expressions/value.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import { bareObject } from "../../support/bare-object.ts";
import { createEvaluationContext, type UnitOfWork } from "../evaluation/context.ts";
import type { EndpointPlan } from "../plan/endpoint-plan.ts";
import type { NegotiatedVersion } from "../plan/negotiated-version.ts";
import type { ServedVersion, VersionPlan } from "../steps/version.ts";
import type { ActiveRequest } from "./intake.ts";
import type { FindPinnedVersion } from "./pinned-version.ts";
import { routingProblem } from "./error-response.ts";
import type { RouteMatch } from "./route.ts";

/**
 * Returns the version that a request uses.
 * @throws Problem if the service does not serve that version
 */
export type NegotiateVersion = (active: ActiveRequest, match: RouteMatch) => Awaitable<ServedVersion>;

/**
 * @param work a unit of work for all requests, because the steps before the response have no side
 * effects
 */
export function createVersionNegotiation(
  versions: VersionPlan,
  pin: FindPinnedVersion | undefined,
  work: UnitOfWork,
): NegotiateVersion {
  const noted = (version: ServedVersion, active: ActiveRequest, { head }: RouteMatch): ServedVersion => {
    const { frame } = active;
    active.version = version.name;
    if (version.name !== null) (frame.request as Record<string, Value>)["version"] = version.name;
    if (versions.isInPath(version, head.segments)) frame.service = inPath(frame.service, version);
    return version;
  };
  return (active, match) => {
    const { frame } = active;
    const chosen = versions.choose(match.versioned);
    if (chosen !== "pinned") return noted(chosen, active, match);
    const evaluation = () => createEvaluationContext(work, { ...frame, named: bareObject() });
    const pinned = pin?.(match.endpoint, match.request, match.carried, evaluation()) ?? null;
    return after(pinned, (name) => noted(versions.named(name), active, match));
  };
}

/**
 * Returns the endpoint's plan in a version.
 * @throws Problem if the version has no such endpoint, NotShown if the endpoint is a gap
 */
export function endpointPlanIn(
  { planOf }: NegotiatedVersion,
  { endpoint, request }: RouteMatch,
  version: ServedVersion,
): EndpointPlan {
  const plan = planOf(endpoint);
  if (!plan) throw routingProblem({ kind: "unknown path" }, request.method, version.position);
  if (plan.notShown) throw plan.notShown;
  return plan;
}

/** Adds the version to the service's URLs, if paths start with the version. */
function inPath(service: Value, { name }: ServedVersion): Value {
  const { origin, url } = service as { readonly origin: string; readonly url: string };
  return { origin, url: `${origin}/${name}${url.slice(origin.length)}` };
}
