/** `Default: pinned per caller.version` (part 9): who calls, asked before the version is known that the request is then read in. */
import type { Expression } from "../../expressions/node.ts";
import type { Endpoint } from "../../model/model.ts";
import type { ServiceRequest } from "../http/message.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import type { Scene } from "../records/scene.ts";
import { type Authenticate, type Carried, createAuthenticate } from "./authenticate.ts";

/** The name of the version that the caller is pinned to; null where there is no caller, or it isn't pinned. @throws Problem *bad credential* */
export type Pin = (
  endpoint: Endpoint,
  request: ServiceRequest,
  carried: Carried,
  scene: Scene,
) => Promise<string | null>;

export function planPin(context: PlanContext, expression: Expression): Pin {
  const version = evaluateOf(context, expression);
  const known = new Map<Endpoint, Authenticate>();
  return async (endpoint, request, carried, scene) => {
    // What is signed is looked at later, when the request is authenticated in earnest.
    const authenticate =
      known.get(endpoint) ?? createAuthenticate(context, endpoint.schemes, { identifies: true });
    known.set(endpoint, authenticate);
    await authenticate(request, carried, scene);
    const name = await version(scene);
    return typeof name === "string" ? name : null;
  };
}
