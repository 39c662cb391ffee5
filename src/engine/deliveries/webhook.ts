/**
 * Webhook attempt: builds the request (`webhook-request.ts`) and sends it. `schedule.ts` interprets
 * the response.
 */
import { type Outbound, OutboundFailed } from "../outbound/outbound.ts";
import { readTraceparent, type SpanContext, type Tracer, traceparentOf } from "../trace.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { DueDelivery } from "../../store/deliveries.ts";
import { contentOf } from "../events/content.ts";
import type { DeliveryRecords } from "./delivery-records.ts";
import type { DisabledReceivers } from "../events/disabled-receivers.ts";
import { deliveryDefaults, senderLimits } from "./limits.ts";
import { planRetries } from "./retry-policy.ts";
import type { AttemptOutcome } from "./schedule.ts";
import type { Channel } from "./channel.ts";
import type { DeliveriesInProgress } from "./deliveries-in-progress.ts";
import type { BuildWebhookRequest, WebhookRequest } from "./webhook-request.ts";

/** Makes an attempt in another way, or not at all; `attempt` makes it. */
export type WrapAttempt = (
  delivery: DueDelivery,
  attempt: () => Promise<AttemptOutcome>,
  signal: AbortSignal,
) => Promise<AttemptOutcome>;

export interface WebhookParts {
  readonly outbound: Outbound;
  readonly make: BuildWebhookRequest;
  readonly inProgress: DeliveriesInProgress;
  readonly disabled: DisabledReceivers;
  readonly records?: DeliveryRecords | undefined;
  readonly tracer?: Tracer | undefined;
  /** See `ServiceOptions`. */
  readonly signsAt?: (() => number) | undefined;
  readonly aroundAttempt?: WrapAttempt | undefined;
}

export function createWebhookChannel({ model, ports }: PlanContext, parts: WebhookParts): Channel {
  const { events } = model;
  const { make, outbound, inProgress, tracer } = parts;
  const timeoutMs = events.timeoutMs ?? deliveryDefaults.timeoutMs;
  const attempt = async (delivery: DueDelivery, signal: AbortSignal): Promise<AttemptOutcome> => {
    const nowMs = (parts.signsAt ?? ports.clock.now)();
    const made = await make(delivery, nowMs);
    if (made.kind !== "made") return made;
    const { revision } = made;
    const traced = tracer && beginSpan(tracer, delivery, made.request);
    const request = traced ? withTrace(made.request, traced.place) : made.request;
    const over = inProgress.begin({ delivery, nowMs, url: request.url });
    try {
      const outcome = await send(outbound, request, timeoutMs, signal, revision);
      traced?.end(outcome);
      return outcome;
    } finally {
      over();
    }
  };
  const { aroundAttempt } = parts;
  return {
    policyOf: planRetries(events),
    attempt: aroundAttempt
      ? (delivery, signal) => aroundAttempt(delivery, () => attempt(delivery, signal), signal)
      : attempt,
    ...(parts.records
      ? { noted: parts.records.noted, runDueTransitions: parts.records.runDueTransitions }
      : {}),
    disabled: ({ resource, row }, revision) => parts.disabled.add(resource, row, revision),
    enabled: ({ resource, row }) => parts.disabled.remove(resource, row),
  };
}

interface AttemptSpan {
  readonly place: SpanContext;
  end(outcome: AttemptOutcome): void;
}

/**
 * Opens a span for the attempt in the trace of the request that caused the event; undefined if that
 * request had none.
 */
function beginSpan(
  tracer: Tracer,
  delivery: DueDelivery,
  { method }: WebhookRequest,
): AttemptSpan | undefined {
  const cause = readTraceparent(contentOf(delivery).trace);
  if (!cause) return undefined;
  const place = tracer.within(cause);
  const beganMs = tracer.now();
  return {
    place,
    end(outcome) {
      const status = outcome.kind === "answered" ? outcome.status : undefined;
      const failure = outcome.kind === "failed" ? outcome.error : undefined;
      const error = failure ?? (status !== undefined && status >= 400 ? `answered ${status}` : undefined);
      tracer.record({
        context: place,
        name: `webhook ${delivery.eventType}`,
        kind: "client",
        beganMs,
        endedMs: tracer.now(),
        attributes: {
          "http.request.method": method,
          ...(status === undefined ? {} : { "http.response.status_code": status }),
          "ninefold.event": delivery.eventId,
          "ninefold.delivery": delivery.id,
          "ninefold.attempt": delivery.attempts + 1,
        },
        ...(error === undefined ? {} : { error }),
      });
    },
  };
}

/** Adds the trace header, unless the document states a header of that name. */
function withTrace(request: WebhookRequest, place: SpanContext): WebhookRequest {
  const isGiven = Object.keys(request.headers).some((name) => name.toLowerCase() === "traceparent");
  return isGiven
    ? request
    : { ...request, headers: { ...request.headers, traceparent: traceparentOf(place) } };
}

async function send(
  outbound: Outbound,
  { method, url, headers, body }: WebhookRequest,
  timeoutMs: number,
  signal: AbortSignal,
  revision: number,
): Promise<AttemptOutcome> {
  try {
    const answer = await outbound.request({
      url,
      method,
      headers,
      body,
      timeoutMs,
      bytesMax: senderLimits.answerBytesMax,
      onlyStatus: { keepsBytes: senderLimits.answerKeptBytes },
      signal,
    });
    const text = textOf(answer.body);
    const retryAfter = answer.headers["retry-after"];
    return {
      kind: "answered",
      status: answer.status,
      revision,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      headers: answer.headers,
      ...(text === "" ? {} : { answer: text }),
    };
  } catch (error) {
    if (error instanceof OutboundFailed) return { kind: "failed", error: error.message };
    throw error;
  }
}

/** Decodes a receiver's response for the operator: any bytes become text. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll("\u0000", "\ufffd");
}
