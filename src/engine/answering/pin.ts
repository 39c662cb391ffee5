/** `Default: pinned per caller.version` (part 9): who calls, asked before the version is known that the request is then read in. */
import type { Expression } from "../../expressions/node.ts";
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { DueTimers } from "../background/due.ts";
import { askingWhoCalls } from "../background/needs.ts";
import type { ServiceRequest } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createEvaluationContext, type EvaluationContext } from "../evaluation/context.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { keepsPasswords, withSlowSecrets } from "../secrets/slow-secrets.ts";
import { type Authenticate, type Carried, createAuthenticate } from "../steps/authenticate.ts";
import { addressKey } from "../steps/limit.ts";

/** The name of the version that the caller is pinned to; null where there is no caller, or it isn't pinned. @throws Problem *bad credential* */
export type Pin = (
  endpoint: Endpoint,
  request: ServiceRequest,
  carried: Carried,
  evaluation: EvaluationContext,
) => Promise<string | null>;

interface WhoCalls {
  /** Stands for the endpoint where it is settled what is due. */
  readonly asking: Endpoint;
  readonly authenticate: Authenticate;
}

export function planPin(
  context: PlanContext,
  expression: Expression,
  timers: Pick<DueTimers, "mayBeDue" | "settleFor">,
  secrets: Secrets,
): Pin {
  const version = evaluateOf(context, expression);
  const known = new Map<Endpoint, WhoCalls>();
  const whoCalls = (endpoint: Endpoint): WhoCalls => {
    let one = known.get(endpoint);
    if (!one) {
      // What is signed is looked at later, when the request is authenticated in earnest.
      const authenticate = createAuthenticate(context, endpoint.schemes, { identifies: true });
      one = { asking: askingWhoCalls(endpoint, expression), authenticate };
      known.set(endpoint, one);
    }
    return one;
  };
  return async (endpoint, request, carried, evaluation) => {
    const { asking, authenticate } = whoCalls(endpoint);
    const nowMs = Date.parse(evaluation.frame.now);
    // Part 3: what is due for the caller happens before they are asked for their version.
    if (timers.mayBeDue(nowMs)) {
      const attempt = {
        endpoint: asking,
        request,
        parameters: {},
        inputs: { references: [] },
        frame: evaluation.frame,
      };
      await timers.settleFor({ exchange: attempt, carried, nowMs }, () => {});
    }
    const ask = async (own: ExpressionPorts) => {
      const asked = createEvaluationContext(evaluation.work, { ...evaluation.frame, ports: own });
      await authenticate(request, carried, asked);
      const name = await version(asked);
      return typeof name === "string" ? name : null;
    };
    const { ports } = evaluation.frame;
    if (!keepsPasswords(context.model)) return ask(ports);
    const from = () => ({ address: addressKey(request.remoteAddress), signal: request.signal });
    const never = () => false;
    return withSlowSecrets(secrets, ports, { for: request, from, isSent: never, isLast: never, run: ask });
  };
}
