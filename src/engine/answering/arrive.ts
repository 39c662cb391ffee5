/** How a request comes in, and how its answer goes out: its id, its moment, whoever looks on, and the headers that all answers have. */
import type { Frame, Value } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { HeaderLine, ServiceRequest, ServiceResponse } from "../http/message.ts";
import { type HeadLimits, type HeadVerdict, judgeRequest, type ParsedHead } from "../http/strict-request.ts";
import { beginRequestSpan, type RequestSpan } from "../observing/request-span.ts";
import type { Course, Teller } from "../observing/teller.ts";
import type { Ports } from "../ports.ts";
import type { ProblemWriter } from "../problems/answer.ts";
import type { CrossOrigin } from "../steps/cross-origin.ts";
import { recounted } from "../steps/limit.ts";
import type { Tracer } from "../trace.ts";
import { problemOfRefusal } from "./refusals.ts";
import { newRequestId, withRequestId } from "./request-id.ts";
import { requestValue } from "./request-value.ts";

/** How far a request has come: in whose words, with what at hand and with which headers it is told what stops it. */
export interface Underway extends Course {
  readonly id: string;
  readonly nowMs: number;
  readonly beganMs: number;
  readonly origin: string;
  /** Undefined of one that could not be parsed. */
  readonly verdict?: HeadVerdict;
  frame: Frame;
  problems: ProblemWriter;
  headers: readonly HeaderLine[];
  span?: RequestSpan;
}

export interface ArrivalParts {
  readonly model: Model;
  readonly ports: Ports;
  readonly limits: HeadLimits;
  readonly origin: () => string;
  readonly newFrame: (nowMs: number, origin: string) => Frame;
  /** In whose words it is told what stops it before its version is known. */
  readonly problems: ProblemWriter;
  readonly crossOrigin: CrossOrigin;
  readonly tell: Teller | undefined;
  readonly tracer: Tracer | undefined;
}

export interface Arrivals {
  arrive(request: ServiceRequest): Underway;
  /** One of which no more is known than that it came. */
  arriveUnparsed(): Underway;
  /** What stands in its head; expressions find it from now on. @throws Problem where it isn't taken */
  headOf(underway: Underway, request: ServiceRequest): ParsedHead;
  leave(underway: Underway, request: ServiceRequest, answer: ServiceResponse): Awaitable<ServiceResponse>;
  leaveUnparsed(underway: Underway, answer: ServiceResponse): ServiceResponse;
  /** How many have come and aren't answered yet; of a stream, until it begins. */
  underWay(): number;
}

export function createArrivals(parts: ArrivalParts): Arrivals {
  const { model, ports, limits, newFrame, problems, crossOrigin, tell, tracer } = parts;
  const begun = (origin: string, verdict?: HeadVerdict): Underway => {
    const nowMs = ports.clock.now();
    return {
      id: newRequestId(ports),
      nowMs,
      beganMs: tell ? tell.begins() : 0,
      origin,
      ...(verdict ? { verdict } : {}),
      frame: newFrame(nowMs, origin),
      problems,
      headers: [],
    };
  };
  let count = 0;
  return {
    arrive(request) {
      count += 1;
      const verdict = judgeRequest(request, limits);
      const underway = begun(request.origin ?? parts.origin(), verdict);
      if (tracer) underway.span = beginRequestSpan(tracer, model, verdict.head?.headers["traceparent"]);
      return underway;
    },
    arriveUnparsed() {
      const underway = begun(parts.origin());
      underway.frame.request = { id: underway.id } as Value;
      return underway;
    },
    headOf({ id, frame, origin, verdict }, request) {
      if (verdict?.head) {
        frame.request = requestValue(request, verdict.head, id, origin);
        return verdict.head;
      }
      const path = request.target.split("?", 1)[0] ?? "";
      frame.request = { id, method: request.method, path } as Value;
      throw problemOfRefusal((verdict as Extract<HeadVerdict, { refusal: object }>).refusal);
    },
    leave(underway, request, answer) {
      count -= 1;
      const { id, nowMs, beganMs, turn, verdict, span, endpoint } = underway;
      const isPreflight =
        request.method === "OPTIONS" && answer.headers.some(([name]) => name === "Access-Control-Max-Age");
      const others = isPreflight ? [] : crossOrigin.headers(verdict?.head?.headers["origin"]);
      return after(recounted(answer, turn?.last, ports.clock.now()), (counted) => {
        const response = { ...counted, headers: withRequestId(counted.headers, others, id) };
        tell?.answered(request, response, underway, { id, nowMs, beganMs });
        span?.end(request, response, endpoint, id);
        return response;
      });
    },
    leaveUnparsed(underway, answer) {
      const { id, nowMs, beganMs } = underway;
      tell?.answered(null, answer, underway, { id, nowMs, beganMs });
      return answer;
    },
    underWay: () => count,
  };
}
