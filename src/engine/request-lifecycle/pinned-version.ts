/**
 * Pinned versions (part 9, `Default: pinned per caller.version`). The service authenticates the
 * caller before it parses the request, because the version decides how the request is parsed.
 */
import type { Expression } from "../../expressions/node.ts";
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { DueTimers } from "../background/due.ts";
import { identifyingCaller } from "../background/endpoint-scope.ts";
import type { ServiceRequest } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createEvaluationContext, type EvaluationContext } from "../evaluation/context.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { hasPasswords, withHashedSecrets } from "../secrets/hashed-secrets.ts";
import { type Authenticate, createAuthenticate } from "../steps/authenticate.ts";
import { addressKey } from "../steps/limit.ts";
import type { RequestCredentials } from "../request-context.ts";

/**
 * Returns the name of the caller's pinned version; null if there is no caller or no pin.
 * @throws Problem *bad credential*
 */
export type FindPinnedVersion = (
  endpoint: Endpoint,
  request: ServiceRequest,
  credentials: RequestCredentials,
  evaluation: EvaluationContext,
) => Promise<string | null>;

interface CallerLookup {
  /** The pseudo-endpoint that authenticates the caller to find due transitions. */
  readonly dueScope: Endpoint;
  readonly authenticate: Authenticate;
}

export function planPinnedVersion(
  context: PlanContext,
  expression: Expression,
  timers: Pick<DueTimers, "mayBeDue" | "runDueOf">,
  secrets: Secrets,
): FindPinnedVersion {
  const version = evaluateOf(context, expression);
  const known = new Map<Endpoint, CallerLookup>();
  const callerLookup = (endpoint: Endpoint): CallerLookup => {
    let lookup = known.get(endpoint);
    if (!lookup) {
      // The service verifies signatures later, when it authenticates the request.
      const authenticate = createAuthenticate(context, endpoint.schemes, { identifies: true });
      lookup = { dueScope: identifyingCaller(endpoint, expression), authenticate };
      known.set(endpoint, lookup);
    }
    return lookup;
  };
  return async (endpoint, request, credentials, evaluation) => {
    const { dueScope, authenticate } = callerLookup(endpoint);
    const nowMs = Date.parse(evaluation.frame.now);
    // Part 3: the caller's due transitions run before the pinned version is read.
    if (timers.mayBeDue(nowMs)) {
      const attempt = {
        endpoint: dueScope,
        request,
        parameters: {},
        inputs: { references: [] },
        frame: evaluation.frame,
      };
      await timers.runDueOf({ exchange: attempt, carried: credentials, nowMs }, () => {});
    }
    const evaluatePin = async (own: ExpressionPorts) => {
      const pinEvaluation = createEvaluationContext(evaluation.work, { ...evaluation.frame, ports: own });
      await authenticate(request, credentials, pinEvaluation);
      const name = await version(pinEvaluation);
      return typeof name === "string" ? name : null;
    };
    const { ports } = evaluation.frame;
    if (!hasPasswords(context.model)) return evaluatePin(ports);
    const from = () => ({ address: addressKey(request.remoteAddress), signal: request.signal });
    const never = () => false;
    return withHashedSecrets(secrets, ports, {
      for: request,
      from,
      isSent: never,
      isLast: never,
      run: evaluatePin,
    });
  };
}
