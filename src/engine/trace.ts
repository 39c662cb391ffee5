/**
 * Traces: what a request has brought about elsewhere and where it came from, told as spans by whoever wants them (`Tracer`). Here are the
 * header by which programs tell each other of them (W3C Trace Context) and what is told. Where spans are sent to is the operator's.
 */

/** One span's place in its trace. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** The span that this one belongs to; absent of the first of a trace. */
  readonly parentId?: string;
  /** It is told. What isn't is passed on all the same, so that others leave it out too. */
  readonly isSampled: boolean;
}

/** Something that began and is over. */
export interface Span {
  readonly context: SpanContext;
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** Real time, in milliseconds since 1970 and their parts. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it failed, where it did. */
  readonly error?: string;
}

/** Takes spans. Neither may throw, nor wait for anything. */
export interface Tracer {
  /** A place for a request, in the trace that its header names. */
  begin(traceparent: string | undefined): SpanContext;
  /** A place for what belongs to another span. */
  within(parent: SpanContext): SpanContext;
  /** Real time, as spans have it. */
  now(): number;
  record(span: Span): void;
}

/** `traceparent: 00-<trace>-<span>-<flags>`; a later version may have more behind that. Undefined of anything else. */
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
