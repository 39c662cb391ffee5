/**
 * Rates of rejected credentials (part 8): such requests count like those of an anonymous caller. So
 * a client that guesses credentials becomes *rate limited*. A correct guess after that has no
 * effect, because a rate by address counts correct credentials in the same way.
 */
import { type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { RequestContext, RequestCredentials } from "../request-context.ts";
import { Problem } from "../problem.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Authenticate } from "./authenticate.ts";
import type { Limit } from "./limit.ts";
import type { UpgradePhase } from "./upgrade-inputs.ts";

export function countRejected(
  { ports }: PlanContext,
  authenticate: Authenticate,
  limit: Limit,
  upgrading: UpgradePhase | undefined,
): (request: RequestContext, credentials: RequestCredentials) => Awaitable<void> {
  const identify = (request: RequestContext, credentials: RequestCredentials) =>
    authenticate(request.request, credentials, request.evaluation);
  // A rate that reads inputs of an older version cannot be evaluated before they are upgraded.
  if (!limit || upgrading === "rate") return identify;
  return (request, credentials) =>
    withRecovery<void>(
      () => identify(request, credentials),
      async (error) => {
        if (error instanceof Problem && error.details[0].condition === "bad credential")
          await limit(request, ports.clock.now());
        throw error;
      },
    );
}
