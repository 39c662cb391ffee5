/**
 * Reach of a request: whether it arrived at the rules of its endpoint. A request that was rejected
 * before, such as one for a record that doesn't exist, shows nothing of them.
 */
import { Problem } from "../../engine/problem.ts";
import type { Condition } from "../../model/errors/conditions.ts";
import type { Aspect } from "../requests/case.ts";
import type { PlayedStep } from "../stories/played-step.ts";

/** Conditions that are checked before the rules of an endpoint. */
const earlyConditions: ReadonlySet<Condition> = new Set([
  "unauthenticated",
  "bad credential",
  "sign-in failed",
  "forbidden",
  "not found",
  "unknown path",
  "method not allowed",
  "unknown version",
  "rate limited",
]);

/** Aspects whose cases are rejected on purpose before the rules of their endpoint. */
export const earlyAspects: ReadonlySet<Aspect> = new Set(["access", "records of the path", "versions"]);

/** Whether the reference evaluated the endpoint's own rules for a request. */
export function reachesRules({ stopped, gap }: Pick<PlayedStep, "stopped" | "gap">): boolean {
  if (gap !== undefined) return false;
  if (!(stopped instanceof Problem)) return true;
  const [{ condition, code }] = stopped.details;
  // A code is that of an item of the endpoint, such as `Fails`.
  return code !== undefined || !earlyConditions.has(condition);
}
