/**
 * Request reporter: reports each request once to the service's observers, with its result and the
 * line of the document that decided it.
 */
import type { Endpoint } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type NotShown, Problem } from "../problem.ts";
import { AnsweredRequest, type Cause, type RequestObserver } from "./answered-request.ts";

/** The progress of a request, as known when it is answered. */
export interface RequestProgress {
  endpoint?: Endpoint;
  version?: string | null;
  planned?: PlannedRequest;
  /** The reason for a rejection and its line, as the client receives it. */
  stopped?: Problem | NotShown;
  because?: Position | undefined;
  /** See `AnsweredFacts`. */
  cause?: Cause;
}

export interface RequestStart {
  readonly id: string;
  readonly nowMs: number;
  /** The result of `begins`. */
  readonly beganMs: number;
}

export interface RequestReporter {
  /** The arrival time of a request, for `answered`. */
  arrivalMs(): number;
  /** @param request null if it could not be parsed */
  answered(
    request: ServiceRequest | null,
    response: ServiceResponse,
    course: RequestProgress,
    beginning: RequestStart,
  ): void;
}

export function createRequestReporter(
  context: PlanContext,
  space: string | undefined,
  observe: RequestObserver,
): RequestReporter {
  const { ports } = context;
  const { stopwatch = () => (ports.machine ?? ports.clock).now() } = ports;
  return {
    arrivalMs: stopwatch,
    answered(
      request,
      response,
      { endpoint, version, planned, stopped, because, cause },
      { id, nowMs, beganMs },
    ) {
      const last = planned?.lastAttempt;
      const hidden = stopped instanceof Problem ? stopped.hiddenBecause : undefined;
      const parts = {
        id,
        space: space ?? null,
        request,
        response,
        timeMs: nowMs,
        tookMs: stopwatch() - beganMs,
        endpoint: endpoint ?? null,
        version: version ?? null,
        stopped: stopped ?? last?.refusal ?? null,
        because: hidden ?? (stopped ? because : last?.because) ?? null,
        cause: cause ?? null,
      };
      try {
        observe(new AnsweredRequest(parts, planned, context));
      } catch (error) {
        // A failing observer must not change the response.
        ports.log.error({ request: id, error: String(error) }, "an observer of requests failed");
      }
    },
  };
}
