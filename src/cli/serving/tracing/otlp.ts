/**
 * Spans in OTLP: an `ExportTraceServiceRequest`, in JSON or in Protocol Buffers, with the same
 * content. Only the needed part of Protocol Buffers is implemented here, because its library is
 * larger than all other code for traces.
 */
import type { Span } from "../../../engine/trace.ts";

export const otlpForms = ["http/json", "http/protobuf"] as const;
export type OtlpForm = (typeof otlpForms)[number];

export const otlpTypes: Readonly<Record<OtlpForm, string>> = {
  "http/json": "application/json",
  "http/protobuf": "application/x-protobuf",
};

type Attributes = Readonly<Record<string, string | number>>;

/** The source of the spans. */
export interface SpanSource {
  readonly resource: Attributes;
  readonly version: string;
}

const kinds: Readonly<Record<Span["kind"], number>> = { internal: 1, server: 2, client: 3 };
const scope = "ninefold";
/** `STATUS_CODE_ERROR` */
const errorCode = 2;

/** The body of a request to a collector. */
export function exportRequest(
  form: OtlpForm,
  spans: readonly Span[],
  teller: SpanSource,
): string | Uint8Array {
  return form === "http/json" ? asJson(spans, teller) : asProtobuf(spans, teller);
}

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────

function asJson(spans: readonly Span[], { resource, version }: SpanSource): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: scope, version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ context, name, kind, beganMs, endedMs, attributes, error }: Span) {
  const { traceId, spanId, parentId, isSampled } = context;
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    flags: isSampled ? 1 : 0,
    name,
    kind: kinds[kind],
    startTimeUnixNano: String(nanoseconds(beganMs)),
    endTimeUnixNano: String(nanoseconds(endedMs)),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: errorCode, message: error },
  };
}

function nanoseconds(milliseconds: number): bigint {
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((milliseconds - whole) * 1e6));
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
}

// ── Protocol Buffers ────────────────────────────────────────────────────────────────────────────

/** The wire type of a field, which is in the last three bits of its tag. */
const wire = { varint: 0, eightBytes: 1, lengthFirst: 2, fourBytes: 5 } as const;

function asProtobuf(spans: readonly Span[], { resource, version }: SpanSource): Uint8Array {
  const scopeSpans = [
    message(1, [text(1, scope), text(2, version)]),
    ...spans.map((span) => message(2, spanFields(span))),
  ];
  return message(1, [message(1, attributeFields(1, resource)), message(2, scopeSpans)]);
}

function spanFields({ context, name, kind, beganMs, endedMs, attributes, error }: Span): readonly Buffer[] {
  const { traceId, spanId, parentId, isSampled } = context;
  return [
    bytes(1, Buffer.from(traceId, "hex")),
    bytes(2, Buffer.from(spanId, "hex")),
    ...(parentId === undefined ? [] : [bytes(4, Buffer.from(parentId, "hex"))]),
    text(5, name),
    number(6, BigInt(kinds[kind])),
    fixed(7, nanoseconds(beganMs)),
    fixed(8, nanoseconds(endedMs)),
    ...attributeFields(9, attributes),
    message(15, error === undefined ? [] : [text(2, error), number(3, BigInt(errorCode))]),
    flags(16, isSampled ? 1 : 0),
  ];
}

function attributeFields(field: number, attributes: Attributes): readonly Buffer[] {
  return Object.entries(attributes).map(([key, value]) =>
    message(field, [text(1, key), message(2, [anyValue(value)])]),
  );
}

function anyValue(value: string | number): Buffer {
  if (typeof value === "string") return text(1, value);
  if (Number.isInteger(value)) return number(3, BigInt.asUintN(64, BigInt(value)));
  const eight = Buffer.alloc(8);
  eight.writeDoubleLE(value);
  return Buffer.concat([tag(4, wire.eightBytes), eight]);
}

function message(field: number, fields: readonly Buffer[]): Buffer {
  return bytes(field, Buffer.concat(fields));
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([tag(field, wire.lengthFirst), varint(BigInt(value.byteLength)), value]);
}

function number(field: number, value: bigint): Buffer {
  return Buffer.concat([tag(field, wire.varint), varint(value)]);
}

function fixed(field: number, value: bigint): Buffer {
  const eight = Buffer.alloc(8);
  eight.writeBigUInt64LE(value);
  return Buffer.concat([tag(field, wire.eightBytes), eight]);
}

function flags(field: number, value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(value);
  return Buffer.concat([tag(field, wire.fourBytes), four]);
}

function tag(field: number, kind: number): Buffer {
  return varint(BigInt(field * 8 + kind));
}

/** Seven bits in each byte, the lowest first; the eighth bit is set if more bytes follow. */
function varint(value: bigint): Buffer {
  const written: number[] = [];
  let rest = value;
  do {
    const seven = Number(rest & 0x7fn);
    rest >>= 7n;
    written.push(rest > 0n ? seven | 0x80 : seven);
  } while (rest > 0n);
  return Buffer.from(written);
}
