/** In which version a request is spoken (part 9), and what its endpoint's plan is there. */
import type { Value } from "../../expressions/value.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import { bareObject } from "../../support/bare-object.ts";
import { createEvaluationContext, type UnitOfWork } from "../evaluation/context.ts";
import type { EndpointPlan } from "../plan/endpoint-plan.ts";
import type { SpokenVersion } from "../plan/spoken-version.ts";
import type { ServedVersion, VersionPlan } from "../steps/version.ts";
import type { Underway } from "./arrive.ts";
import type { Pin } from "./pin.ts";
import { notRouted } from "./refusals.ts";
import type { Asked } from "./route.ts";

/** @throws Problem where the version isn't served */
export type FindVersion = (underway: Underway, asked: Asked) => Awaitable<ServedVersion>;

/** @param work what comes before an answer leaves no traces, so all requests share one */
export function createVersionFinder(
  versions: VersionPlan,
  pin: Pin | undefined,
  work: UnitOfWork,
): FindVersion {
  const noted = (version: ServedVersion, underway: Underway, { head }: Asked): ServedVersion => {
    const { frame } = underway;
    underway.version = version.name;
    if (version.name !== null) (frame.request as Record<string, Value>)["version"] = version.name;
    if (versions.isInPath(version, head.segments)) frame.service = inPath(frame.service, version);
    return version;
  };
  return (underway, asked) => {
    const { frame } = underway;
    const chosen = versions.choose(asked.versioned);
    if (chosen !== "pinned") return noted(chosen, underway, asked);
    const evaluation = () => createEvaluationContext(work, { ...frame, named: bareObject() });
    const asking = pin?.(asked.endpoint, asked.request, asked.carried, evaluation()) ?? null;
    return after(asking, (name) => noted(versions.named(name), underway, asked));
  };
}

/** @throws Problem where the version has no such endpoint, NotShown where the endpoint can't be answered */
export function planIn(
  { planOf }: SpokenVersion,
  { endpoint, request }: Asked,
  version: ServedVersion,
): EndpointPlan {
  const plan = planOf(endpoint);
  if (!plan) throw notRouted({ kind: "unknown path" }, request.method, version.position);
  if (plan.notShown) throw plan.notShown;
  return plan;
}

/** Addresses of the service begin with the version, where paths do. */
function inPath(service: Value, { name }: ServedVersion): Value {
  const { origin, url } = service as { readonly origin: string; readonly url: string };
  return { origin, url: `${origin}/${name}${url.slice(origin.length)}` };
}
