/**
 * Tracing: spans of requests, commits and deliveries, and the `traceparent` header (W3C Trace
 * Context). A `Tracer` receives the spans; the operator decides where they are sent.
 */

/** The context of a span: its position in the trace. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The parent span; absent for the root. */
  readonly parentId?: string;
  /**
   * Whether the span is recorded. The context is propagated in either case, so that other services
   * skip the trace too.
   */
  readonly isSampled: boolean;
}

/** A finished operation of a trace. */
export interface Span {
  readonly context: SpanContext;
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** Real time, in fractional milliseconds since 1970. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The error of a failed operation. */
  readonly error?: string;
}

/** A receiver of spans. No method may throw or block. */
export interface Tracer {
  /** Creates a context for a request, in the trace of its header. */
  begin(traceparent: string | undefined): SpanContext;
  /** Creates a context for a child span. */
  within(parent: SpanContext): SpanContext;
  /** Returns real time, as spans use it. */
  now(): number;
  record(span: Span): void;
}

/**
 * Parses `traceparent: 00-<trace>-<span>-<flags>`. A later version of the header may append fields.
 * Undefined for any other text.
 */
export function readTraceparent(text: string | undefined): Omit<SpanContext, "parentId"> | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(text ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparentOf({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
