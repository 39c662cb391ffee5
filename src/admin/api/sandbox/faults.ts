/**
 * Fault injection: failures that a test orders for the next requests or webhooks of a data space.
 */
import { type Static, Type } from "typebox";
import type { Fault, FaultOrder, Latency } from "../../../engine/sandbox/faults.ts";
import { sandboxLimits } from "../../../engine/sandbox/limits.ts";
import type { HeaderLine } from "../../../engine/http/message.ts";
import type { Json } from "../../../support/json.ts";
import { durationMs, formatDuration } from "../../../support/quantity.ts";
import { badRequest } from "../routing/refusal.ts";
import { fields, json, nullable, route } from "../routing/route.ts";

const text = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }));

const orderFields = {
  endpoint: text("`POST /parcels`, as the document writes it; all endpoints without it"),
  caller: text("the identifier of the caller; every request without it"),
  webhook: text("an event type, or `*`: the fault is about webhooks instead of requests"),
  skip: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: "the number of requests or webhooks to skip first",
    }),
  ),
  times: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      description: "how many it affects, by default 1; null: until it is removed",
    }),
  ),
  delay: Type.Optional(
    Type.Union([Type.String(), fields({ median: Type.String(), p99: Type.String() })], {
      description: 'before the response: "2 seconds", or {"median": "80 milliseconds", "p99": "1 second"}',
    }),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 200, maximum: 599, description: "instead of the service's response" }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "of a `status`" })),
  body: Type.Optional(
    Type.Unsafe<Json>({ description: "the body of a `status`: a text unchanged, anything else as JSON" }),
  ),
  error: text("a condition of part 7 or a code: the document's own error"),
  connection: Type.Optional(
    Type.Union([Type.Literal("reset"), Type.Literal("cut"), Type.Literal("hang")], {
      description: "`reset` without a response, `cut` in the middle of it, or `hang`",
    }),
  ),
  after_work: Type.Optional(
    Type.Boolean({ description: "the request is executed first, so that only its response is lost" }),
  ),
  deliver: Type.Optional(
    Type.Union([Type.Literal("twice"), Type.Literal("after the next")], { description: "of a `webhook`" }),
  ),
};

const faultSchema = fields({
  number: Type.Integer(),
  hits: Type.Integer({ description: "the number of requests or webhooks that it has affected" }),
  left: nullable(Type.Integer({ description: "how many it will still affect; null: until it is removed" })),
  fault: json,
});

export type FaultResponse = Static<typeof faultSchema>;

export const faultRoutes = [
  route({
    method: "GET",
    path: "/api/faults",
    does: "the faults on demand of the data space, in the order in which they were added",
    answer: fields({ faults: Type.Array(faultSchema) }),
    run: async (call) => ({ faults: (await call.sandbox()).faults.all().map(toFaultResponse) }),
  }),
  route({
    method: "POST",
    path: "/api/faults",
    does: "makes the next requests or webhooks fail or slow: by `endpoint`, `caller` or `webhook`",
    body: fields(orderFields),
    answer: faultSchema,
    run: async (call) => toFaultResponse((await call.sandbox()).faults.add(orderOf(call.body))),
  }),
  route({
    method: "DELETE",
    path: "/api/faults",
    does: "removes all faults, and releases held requests",
    answer: fields({ removed: Type.Integer() }),
    run: async (call) => ({ removed: (await call.sandbox()).faults.clear() }),
  }),
  route({
    method: "DELETE",
    path: "/api/faults/{number}",
    does: "removes one",
    answer: fields({ removed: Type.Integer() }),
    async run(call) {
      const number = Number(call.parameter("number"));
      (await call.sandbox()).faults.remove(number);
      return { removed: number };
    },
  }),
];

type Order = Static<ReturnType<typeof fields<typeof orderFields>>>;

/** Validates an order. @throws OperationRefusal */
function orderOf(sent: Order): FaultOrder {
  const { endpoint, caller, webhook, skip = 0, times = 1, delay, status, error, connection, deliver } = sent;
  const { body } = sent;
  const isJson = body !== undefined && typeof body !== "string";
  const headers = headersOf(sent.headers ?? {}, isJson);
  return {
    endpoint,
    caller,
    webhook,
    skip,
    times,
    latency: delay === undefined ? undefined : latencyOf(delay),
    status,
    headers: headers.length === 0 ? undefined : headers,
    body: isJson ? JSON.stringify(body) : body,
    error,
    connection,
    isLate: sent.after_work ?? false,
    deliver,
  };
}

const headerNameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function headersOf(sent: Readonly<Record<string, string>>, isJson: boolean): readonly HeaderLine[] {
  const wrong = Object.keys(sent).find((name) => !headerNameForm.test(name));
  if (wrong !== undefined) throw wrongField("headers", `"${wrong}" can't be the name of a header.`);
  const isTyped = Object.keys(sent).some((name) => name.toLowerCase() === "content-type");
  return [
    ...(isJson && !isTyped ? [["Content-Type", "application/json"] as const] : []),
    ...Object.entries(sent),
  ];
}

function latencyOf(delay: NonNullable<Order["delay"]>): Latency {
  if (typeof delay === "string") return { ms: lengthOf("delay", delay) };
  const [medianMs, p99Ms] = [lengthOf("delay.median", delay.median), lengthOf("delay.p99", delay.p99)];
  if (p99Ms >= medianMs && medianMs > 0) return { medianMs, p99Ms };
  throw wrongField(
    "delay",
    "The 99th percentile must be at least the median, and both must be more than zero.",
  );
}

function lengthOf(field: string, text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined && ms <= sandboxLimits.faultDelayMsMax) return ms;
  const maxDelay = formatDuration(sandboxLimits.faultDelayMsMax);
  throw wrongField(field, `"${field}" is a length of time of at most ${maxDelay}, such as "2 seconds".`);
}

function wrongField(field: string, message: string) {
  return badRequest(message, [{ field, message }]);
}

function toFaultResponse({ number, hits, order }: Fault): FaultResponse {
  return {
    number,
    hits,
    left: order.times === null ? null : order.times - hits,
    fault: toOrderResponse(order),
  };
}

/** Serializes an order with only the fields that the client sent. */
function toOrderResponse({ latency, headers, isLate, ...order }: FaultOrder): Json {
  const stated = Object.entries(order).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(stated),
    ...(latency ? { delay: delayOf(latency) } : {}),
    ...(headers ? { headers: Object.fromEntries(headers) } : {}),
    ...(isLate ? { after_work: true } : {}),
  };
}

function delayOf(latency: Latency): NonNullable<Order["delay"]> {
  if ("ms" in latency) return formatDuration(latency.ms);
  return { median: formatDuration(latency.medianMs), p99: formatDuration(latency.p99Ms) };
}
