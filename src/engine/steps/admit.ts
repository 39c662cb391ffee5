/**
 * Admission: authenticates and rate-limits a request by its head before its body is read. So the
 * service neither reads nor awaits the body of an unknown sender, and sends it no `100 Continue`.
 * These checks are repeated later. Checks that need the body (a signature, a rate computed from it)
 * or are slow (a password) run only then.
 */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint, Scheme } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { RequestContext, RequestCredentials } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { unauthenticated } from "./allow.ts";
import { createAuthenticate, readPlacement } from "./authenticate.ts";
import { countRejected } from "./count-rejected.ts";
import type { Limit } from "./limit.ts";
import type { UpgradePhase } from "./upgrade-inputs.ts";

/**
 * Returns whether the sender is authenticated.
 * @throws Problem if the request is rejected
 */
export type Admit = (request: RequestContext, credentials: RequestCredentials) => Awaitable<boolean>;

export interface AdmitParts {
  readonly callerNeeded: boolean;
  readonly limit: Limit;
  readonly upgrading: UpgradePhase | undefined;
}

export function planAdmit(
  context: PlanContext,
  endpoint: Endpoint,
  { callerNeeded, limit, upgrading }: AdmitParts,
): Admit {
  const { authentication, limits } = context.model;
  const schemes = authentication.schemes.filter(
    ({ name }) => endpoint.schemes === undefined || endpoint.schemes.includes(name),
  );
  const comparesPasswords = schemes.some((scheme) => isByPassword(context, scheme));
  const isCertain = !comparesPasswords && !schemes.some(({ signature }) => signature);
  const identify = countRejected(
    context,
    createAuthenticate(context, endpoint.schemes, { identifies: true }),
    limit,
    upgrading,
  );
  const rates = limits.rates.filter((rate) => appliesTo(rate.applies, endpoint));
  const counts =
    upgrading !== "rate" &&
    !comparesPasswords &&
    !pieceReads(rates, { name: "request", member: "body" }, context.meaning);
  return (request, credentials) => {
    // Looking up only the user would reveal which accounts exist.
    if (comparesPasswords) {
      const carriesOne = schemes.some(({ placement }) => placement && readPlacement(placement, credentials));
      if (callerNeeded && !carriesOne) throw unauthenticated(context, endpoint);
      return false;
    }
    return after(identify(request, credentials), () => {
      const { caller } = request.evaluation.frame;
      if (callerNeeded && caller === null) throw unauthenticated(context, endpoint);
      const counted = counts ? limit?.(request, context.ports.clock.now()) : undefined;
      return after(counted, () => isCertain && caller !== null);
    });
  };
}

function isByPassword(context: PlanContext, { credentials, gap }: Scheme): boolean {
  if (!credentials || gap) return false;
  const { fields } = context.resource(credentials.resource);
  return credentials.by.some((name) => fields.get(name)?.type.kind === "password");
}
