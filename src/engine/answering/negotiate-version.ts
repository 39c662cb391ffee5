/** In which version a request is spoken (part 9), and what its endpoint's plan is there. */
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

/** @throws Problem where the version isn't served */
export type NegotiateVersion = (active: ActiveRequest, match: RouteMatch) => Awaitable<ServedVersion>;

/** @param work what comes before an answer leaves no traces, so all requests share one */
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
    const asking = pin?.(match.endpoint, match.request, match.carried, evaluation()) ?? null;
    return after(asking, (name) => noted(versions.named(name), active, match));
  };
}

/** @throws Problem where the version has no such endpoint, NotShown where the endpoint can't be answered */
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

/** Addresses of the service begin with the version, where paths do. */
function inPath(service: Value, { name }: ServedVersion): Value {
  const { origin, url } = service as { readonly origin: string; readonly url: string };
  return { origin, url: `${origin}/${name}${url.slice(origin.length)}` };
}
