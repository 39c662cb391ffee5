/**
 * Span exporter: sends spans to a collector by OTLP over HTTP (the SDK takes 670 ms to load and 26
 * MB). Spans are sent in batches. If a collector doesn't respond, spans are lost, and requests are
 * not affected.
 */
import { readTraceparent, type Span, type Tracer } from "../../../engine/trace.ts";
import type { Log } from "../../../engine/ports.ts";
import { hexOf } from "../../../support/hashing/hex.ts";
import { createRandomPool } from "../../../support/random-pool.ts";
import { exportRequest, otlpTypes } from "./otlp.ts";
import type { TracingSettings } from "./settings.ts";

export const tracingLimits = {
  /** Further spans are dropped while this many wait. */
  waitingMax: 2048,
  /** Maximum number of spans in one request. */
  batchMax: 512,
  /** How long a span waits for its batch, in milliseconds. */
  gatheredMs: 1000,
  /** The timeout of a collector's response, in milliseconds. */
  timeoutMs: 10_000,
  /** The minimum interval between reports of its errors, in milliseconds. */
  reportEveryMs: 60_000,
} as const;

export interface TraceExporter extends Tracer {
  /** Sends the waiting spans, and accepts no more. */
  close(): Promise<void>;
}

export function createTraceExporter(settings: TracingSettings, version: string, log: Log): TraceExporter {
  let waiting: Span[] = [];
  let dropped = 0;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const post = async (spans: readonly Span[]): Promise<void> => {
    try {
      const answer = await fetch(settings.url, {
        method: "POST",
        headers: { "Content-Type": otlpTypes[settings.form], ...settings.headers },
        body: exportRequest(settings.form, spans, { resource: settings.resource, version }) as NonNullable<
          RequestInit["body"]
        >,
        signal: AbortSignal.timeout(tracingLimits.timeoutMs),
        redirect: "error",
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    } catch (error) {
      dropped += spans.length;
      report(error);
    }
  };
  const report = (error: unknown) => {
    const nowMs = performance.now();
    if (nowMs - reportedAtMs < tracingLimits.reportEveryMs) return;
    reportedAtMs = nowMs;
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    log.warn({ collector: new URL(settings.url).host, error: why, dropped }, "traces can't be sent");
  };
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, tracingLimits.batchMax);
      waiting = waiting.slice(tracingLimits.batchMax);
      await post(batch);
    }
  };
  const start = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= flush().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    ...placesOf(settings),
    now: () => performance.timeOrigin + performance.now(),
    record(span) {
      if (isClosed || !span.context.isSampled) return;
      if (waiting.length >= tracingLimits.waitingMax) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= tracingLimits.batchMax) void start();
      else timer ??= setTimeout(() => void start(), tracingLimits.gatheredMs).unref();
    },
    async close() {
      isClosed = true;
      await start();
      await start();
    },
  };
}

function placesOf({ share, followsCallers }: TracingSettings): Pick<Tracer, "begin" | "within"> {
  const isChosen = (traceId: string): boolean =>
    // The same computation as in other samplers, so that all choose the same traces.
    share >= 1 || Number.parseInt(traceId.slice(-14), 16) < share * 2 ** 56;
  const random = createRandomPool();
  const hex = (bytes: number) => hexOf(random(bytes));
  return {
    begin(traceparent) {
      const caller = readTraceparent(traceparent);
      const traceId = caller?.traceId ?? hex(16);
      const isSampled = caller && followsCallers ? caller.isSampled : isChosen(traceId);
      return { traceId, spanId: hex(8), isSampled, ...(caller ? { parentId: caller.spanId } : {}) };
    },
    within: ({ traceId, spanId, isSampled }) => ({ traceId, spanId: hex(8), parentId: spanId, isSampled }),
  };
}
