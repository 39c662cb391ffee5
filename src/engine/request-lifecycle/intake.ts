/**
 * Request intake: the request id, the arrival time, the observers, and the headers of every
 * response.
 */
import type { Frame, Value } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { HeaderLine, ServiceRequest, ServiceResponse } from "../http/message.ts";
import { type HeadLimits, type HeadVerdict, validateHead, type ParsedHead } from "../http/strict-request.ts";
import { beginRequestSpan, type RequestSpan } from "../observability/request-span.ts";
import type { Cause } from "../observability/answered-request.ts";
import type { RequestProgress, RequestReporter } from "../observability/request-reporter.ts";
import type { Ports } from "../ports.ts";
import type { ProblemWriter } from "../problems/problem-writer.ts";
import type { CrossOrigin } from "../steps/cross-origin.ts";
import { withRefundedRates } from "../steps/limit.ts";
import type { Tracer } from "../trace.ts";
import type { RequestFault } from "./fault-injection.ts";
import { problemOfRefusal } from "./error-response.ts";
import { newRequestId, withRequestId } from "./request-id.ts";
import { requestValue } from "./request-value.ts";

/** A request in progress: the version, the frame and the headers that an error response needs. */
export interface ActiveRequest extends RequestProgress {
  readonly id: string;
  readonly nowMs: number;
  readonly beganMs: number;
  readonly origin: string;
  /** Undefined if the request could not be parsed. */
  readonly verdict?: HeadVerdict;
  frame: Frame;
  problems: ProblemWriter;
  headers: readonly HeaderLine[];
  span?: RequestSpan;
  /** Injected faults that apply to this request. */
  faults?: readonly RequestFault[];
}

export interface RequestIntakeParts {
  readonly model: Model;
  readonly ports: Ports;
  readonly limits: HeadLimits;
  readonly origin: () => string;
  readonly newFrame: (nowMs: number, origin: string) => Frame;
  /** Writes the problems that occur before the version is negotiated. */
  readonly problems: ProblemWriter;
  readonly crossOrigin: CrossOrigin;
  readonly reporter: RequestReporter | undefined;
  readonly tracer: Tracer | undefined;
  /** Whether a response to a failure of the service has the header `Ninefold-Cause`. */
  readonly showsCause: boolean;
}

export interface RequestIntake {
  open(request: ServiceRequest): ActiveRequest;
  /** Starts a request that could not be parsed. */
  openUnparsed(): ActiveRequest;
  /**
   * Parses the head and makes it available to expressions.
   * @throws Problem if the head is rejected
   */
  parseHead(active: ActiveRequest, request: ServiceRequest): ParsedHead;
  finish(active: ActiveRequest, request: ServiceRequest, answer: ServiceResponse): Awaitable<ServiceResponse>;
  finishUnparsed(active: ActiveRequest, answer: ServiceResponse): ServiceResponse;
  /**
   * The number of requests without a response. A streaming request counts until its stream starts.
   */
  activeCount(): number;
}

export function createRequestIntake(parts: RequestIntakeParts): RequestIntake {
  const { model, ports, limits, newFrame, problems, crossOrigin, reporter, tracer, showsCause } = parts;
  const opened = (origin: string, verdict?: HeadVerdict): ActiveRequest => {
    const nowMs = ports.clock.now();
    return {
      id: newRequestId(ports),
      nowMs,
      beganMs: reporter ? reporter.arrivalMs() : 0,
      origin,
      ...(verdict ? { verdict } : {}),
      frame: newFrame(nowMs, origin),
      problems,
      headers: [],
    };
  };
  let count = 0;
  return {
    open(request) {
      count += 1;
      const verdict = validateHead(request, limits);
      const active = opened(request.origin ?? parts.origin(), verdict);
      if (tracer) active.span = beginRequestSpan(tracer, model, verdict.head?.headers["traceparent"]);
      return active;
    },
    openUnparsed() {
      const active = opened(parts.origin());
      active.frame.request = { id: active.id } as Value;
      return active;
    },
    parseHead({ id, frame, origin, verdict }, request) {
      if (verdict?.head) {
        frame.request = requestValue(request, verdict.head, id, origin);
        return verdict.head;
      }
      const path = request.target.split("?", 1)[0] ?? "";
      frame.request = { id, method: request.method, path } as Value;
      throw problemOfRefusal((verdict as Extract<HeadVerdict, { refusal: object }>).refusal);
    },
    finish(active, request, answer) {
      count -= 1;
      const { id, nowMs, beganMs, planned, verdict, span, endpoint } = active;
      const isPreflight =
        request.method === "OPTIONS" && answer.headers.some(([name]) => name === "Access-Control-Max-Age");
      const addedHeaders = [
        ...(isPreflight ? [] : crossOrigin.headers(verdict?.head?.headers["origin"])),
        ...(showsCause ? causeHeader(active.cause) : []),
      ];
      return after(withRefundedRates(answer, planned?.lastAttempt, ports.clock.now()), (counted) => {
        const response = { ...counted, headers: withRequestId(counted.headers, addedHeaders, id) };
        reporter?.answered(request, response, active, { id, nowMs, beganMs });
        span?.end(request, response, endpoint, id);
        return response;
      });
    },
    finishUnparsed(active, answer) {
      const { id, nowMs, beganMs } = active;
      reporter?.answered(null, answer, active, { id, nowMs, beganMs });
      return answer;
    },
    activeCount: () => count,
  };
}

/** Longest value of the `Ninefold-Cause` header, in characters. */
const causeMax = 500;

function causeHeader(cause: Cause | undefined): readonly HeaderLine[] {
  const [line = ""] = cause?.text.split("\n", 1) ?? [];
  return line === "" ? [] : [["Ninefold-Cause", line.slice(0, causeMax)]];
}
