/** Traced deliveries: the spans of attempts, and the trace headers that receivers get. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboundFailed } from "../../src/engine/outbound/outbound.ts";
import { readTraceparent, type Span, type Tracer } from "../../src/engine/trace.ts";
import { openShop, type Play, played, shopText } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in"
`;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Creates a tracer that keeps its spans. Each read of its clock advances it by a millisecond. */
function keepingTracer() {
  const spans: Span[] = [];
  let places = 0;
  let time = 1000;
  const place = (parentId?: string) => {
    places += 1;
    const spanId = places.toString(16).padStart(16, "0");
    return { traceId, spanId, isSampled: true, ...(parentId === undefined ? {} : { parentId }) };
  };
  const tracer: Tracer = {
    begin: () => place(),
    within: ({ spanId }) => place(spanId),
    now: () => {
      time += 1;
      return time;
    },
    record: (span) => void spans.push(span),
  };
  return { spans, tracer };
}

/** Creates an order and attempts its webhook that many times. */
async function traced(play: Play, { attempts = 1, text = shopText } = {}) {
  const { spans, tracer } = keepingTracer();
  const over = played(play);
  const shop = await openShop({ over, tracer, text });
  await shop.given(given);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(0);
  if (attempts > 1) await shop.pass(5000);
  const [delivery] = await shop.service.deliveries.list();
  await shop.close();
  const request = spans.find(({ kind }) => kind === "server");
  const ofAttempts = spans.filter(({ kind }) => kind === "client");
  return { sent: over.sent, ofAttempts, request, delivery };
}

test("each attempt is a span of the request's trace, with its attributes and its result", async () => {
  const statuses = [400, 204];
  const { sent, ofAttempts, request, delivery } = await traced(() => ({ status: statuses.shift() ?? 204 }), {
    attempts: 2,
  });
  assert.ok(request);
  assert.ok(ofAttempts.every(({ beganMs, endedMs }) => beganMs < endedMs));
  assert.deepEqual(
    ofAttempts.map(({ name, context, attributes, error }) => [name, context.parentId, attributes, error]),
    [400, 204].map((status, at) => [
      "webhook order.created",
      request.context.spanId,
      {
        "http.request.method": "POST",
        "http.response.status_code": status,
        "ninefold.event": delivery?.eventId,
        "ninefold.delivery": delivery?.id,
        "ninefold.attempt": at + 1,
      },
      status === 400 ? "answered 400" : undefined,
    ]),
  );
  assert.ok(ofAttempts.every((span) => "error" in span === (span.error !== undefined)));
  assert.deepEqual(
    sent.map(({ headers }) => readTraceparent(headers?.["traceparent"])?.spanId),
    ofAttempts.map(({ context }) => context.spanId),
  );
});

test("the span of an attempt without a response has no status, and states the reason", async () => {
  const { ofAttempts } = await traced(() => {
    throw new OutboundFailed("the connection was reset", false);
  });
  assert.equal(ofAttempts[0]?.error, "the connection was reset");
  assert.ok(!("http.response.status_code" in ofAttempts[0].attributes));
});

test("the document's own trace header replaces the engine's, in upper or lower case", async () => {
  const text = shopText.replace("- Header: X-Sent-At: delivery.time", '- Header: TraceParent: "of our own"');
  const { sent, ofAttempts } = await traced(() => ({ status: 204 }), { text });
  assert.equal(ofAttempts.length, 1);
  const names = Object.keys(sent[0]?.headers ?? {}).filter((name) => /^traceparent$/i.test(name));
  assert.deepEqual(names, ["TraceParent"]);
  assert.equal(sent[0]?.headers?.["TraceParent"], "of our own");
});

test("a delivery that no request caused belongs to no trace", async () => {
  const text = shopText
    .replace(
      "| pay | open | paid | call | | `paid_at = now` |",
      "| pay | open | paid | after 1 minute | | `paid_at = now` |",
    )
    .replace(/### POST \/orders\/\{id\}\/pay\n[^#]*/, "");
  const { spans, tracer } = keepingTracer();
  const over = played(() => ({ status: 204 }));
  const shop = await openShop({ over, tracer, text });
  await shop.given(given);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(0);
  const paid = new Promise<void>((resolve) => void shop.store.onCommit(() => resolve()));
  await shop.pass(60_000);
  await paid;
  await shop.pass(0);
  const kinds = over.sent.map(({ body, headers = {} }) => [
    JSON.parse(String(body)).type,
    "traceparent" in headers,
  ]);
  assert.deepEqual(kinds, [
    ["order.created", true],
    ["order.updated", false],
    ["order.paid", false],
  ]);
  assert.equal(spans.filter(({ kind }) => kind === "client").length, 1);
  await shop.close();
});
