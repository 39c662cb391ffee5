/**
 * Traces for a collector: a request, its commit and its webhooks in one trace, which callers start
 * and receivers continue. The collector accepts what the protocol states (OTLP over HTTP, JSON),
 * and nothing else.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, served } from "../../src/cli/testing/served-command.ts";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { readTraceparent } from "../../src/engine/trace.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("traces");

const document = join(folder, "orders.md");
writeFileSync(
  document,
  `# Interface Specification: Orders

## What the service does

- Purpose: takes orders.

## Resources and their fields

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |
| secret | string | required |

### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| what | string | required |

## States and transitions

States and transitions: none.

## Endpoints

- Base path: \`/v1\`

### POST /hooks

- Does: create Hook
- Body: url, secret
- Returns: 201 \`{}\`

### POST /orders

- Does: create Order
- Body: what
- Returns: 201 Order

### GET /orders/{id}

- Does: read Order
- Returns: 200 Order

## Authentication

- Scheme: none

## Events

| Event | When | Payload |
|---|---|---|
| order.made | Order created | Order |

- Webhooks: to Hook.url
- Signature: Standard Webhooks, secret \`Hook.secret\`
- Retries: 1 second, 1 second

## Errors

Error codes, status codes and payload shape: not shown.

## Limits

Rate limits, size limits, time-outs and pagination bounds: not shown.

## Versioning

Version scheme and compatibility rules: none.
`,
);

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat((await request.toArray()) as Buffer[]).toString();
}

/** Creates a collector that accepts spans and reports them as they arrive. */
async function collector() {
  const spans: Span[] = [];
  const heads: IncomingMessage["headers"][] = [];
  const resources: Record<string, string | undefined>[] = [];
  let look = () => {};
  const server = createServer(async (request, response) => {
    assert.equal(`${request.method} ${request.url}`, "POST /v1/traces");
    assert.equal(request.headers["content-type"], "application/json");
    heads.push(request.headers);
    const { resourceSpans } = JSON.parse(await bodyOf(request));
    for (const { resource, scopeSpans } of resourceSpans) {
      resources.push(
        Object.fromEntries(resource.attributes.map(({ key, value }: Attribute) => [key, value.stringValue])),
      );
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader("Content-Type", "application/json");
    response.end("{}");
    look();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    spans,
    heads,
    resources,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        look = () => holds() && resolve();
        look();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Creates a receiver of webhooks that rejects the first. */
async function receiver() {
  const traceparents: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    await bodyOf(request);
    traceparents.push(request.headers["traceparent"] as string | undefined);
    response.statusCode = traceparents.length === 1 ? 503 : 204;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    traceparents,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function serving(environment: Readonly<Record<string, string>>) {
  return served(
    [document, "--store", ":memory:", "--no-operations", "--log", "none", "--allow-private-webhooks"],
    {
      env: { ...process.env, ...environment },
    },
  );
}

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const attribute = ({ attributes }: Span, name: string) => {
  const { stringValue, intValue } = attributes.find(({ key }) => key === name)?.value ?? {};
  return stringValue ?? intValue;
};

const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

test("one trace goes from the caller through the request, its commit and each attempt at its webhook", async () => {
  const seen = await collector();
  const hook = await receiver();
  const service = serving({
    OTEL_EXPORTER_OTLP_ENDPOINT: seen.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b",
    OTEL_SERVICE_NAME: "orders",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const origin = await addressOf(service);
  const base = origin.endsWith("/v1") ? origin : `${origin}/v1`;
  await post(`${base}/hooks`, { url: hook.url, secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0" });
  assert.equal((await post(`${base}/orders`, { what: "tea" }, { traceparent })).status, 201);
  const own = () => seen.spans.filter((span) => span.traceId === caller.traceId);
  await seen.until(() => own().length >= 4);
  const named = (name: string) => own().filter((span) => span.name === name);
  const [request] = named("POST /v1/orders");
  const [commit] = named("commit");
  const attempts = named("webhook order.made");
  assert.ok(request && commit);
  assert.equal(request.parentSpanId, caller.spanId);
  assert.equal(request.kind, 2);
  assert.equal(attribute(request, "http.route"), "/v1/orders");
  assert.equal(attribute(request, "http.response.status_code"), "201");
  assert.deepEqual([commit.parentSpanId, commit.kind], [request.spanId, 1]);
  assert.ok(BigInt(commit.startTimeUnixNano) >= BigInt(request.startTimeUnixNano));
  assert.ok(BigInt(commit.endTimeUnixNano) <= BigInt(request.endTimeUnixNano));
  assert.deepEqual(
    attempts.map((span) => [
      span.parentSpanId,
      span.kind,
      attribute(span, "http.response.status_code"),
      span.status.code,
    ]),
    [
      [request.spanId, 3, "503", 2],
      [request.spanId, 3, "204", undefined],
    ],
  );
  assert.deepEqual(
    hook.traceparents.map((text) => readTraceparent(text)),
    attempts.map(({ spanId }) => ({ traceId: caller.traceId, spanId, isSampled: true })),
  );
  assert.deepEqual(seen.resources[0], { "service.name": "orders", "deployment.environment.name": "test" });
  assert.equal(seen.heads[0]?.["api-key"], "a b");
  // A request without a trace context starts its own trace, and an invented path is never a span
  // name.
  await fetch(`${base}/orders/1`);
  await fetch(`${base}/made/up/by/me`);
  service.child.kill("SIGTERM");
  await service.ended;
  const names = seen.spans.filter((span) => span.traceId !== caller.traceId).map((span) => span.name);
  assert.deepEqual(names.toSorted(), ["GET", "GET /v1/orders/{id}", "POST /v1/hooks", "commit"]);
  assert.doesNotMatch(JSON.stringify(seen.spans), /made\/up|tea|whsec/);
  seen.close();
  hook.close();
});

test("a caller's decision not to sample a trace is respected, and passed on", async () => {
  const seen = await collector();
  const hook = await receiver();
  const service = serving({ OTEL_EXPORTER_OTLP_ENDPOINT: seen.endpoint });
  const origin = await addressOf(service);
  const base = origin.endsWith("/v1") ? origin : `${origin}/v1`;
  await post(`${base}/hooks`, { url: hook.url, secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0" });
  await post(`${base}/orders`, { what: "tea" }, { traceparent: traceparent.replace(/01$/, "00") });
  await post(`${base}/orders`, { what: "more tea" }, { traceparent: "00-garbage-01" });
  await seen.until(() => seen.spans.some((span) => span.name === "webhook order.made"));
  service.child.kill("SIGTERM");
  await service.ended;
  assert.deepEqual(
    seen.spans.filter((span) => span.traceId === caller.traceId),
    [],
  );
  assert.ok(
    hook.traceparents.some((text) => text?.startsWith(`00-${caller.traceId}-`) && text.endsWith("-00")),
  );
  seen.close();
  hook.close();
});

test("without a collector nothing is traced, and an unreachable collector fails no request", async () => {
  const hook = await receiver();
  const quiet = serving({});
  const origin = await addressOf(quiet);
  const base = origin.endsWith("/v1") ? origin : `${origin}/v1`;
  await post(`${base}/hooks`, { url: hook.url, secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0" });
  await post(`${base}/orders`, { what: "tea" }, { traceparent });
  quiet.child.kill("SIGTERM");
  await quiet.ended;
  assert.deepEqual(
    hook.traceparents.filter((text) => text !== undefined),
    [],
  );
  hook.close();
  const lost = serving({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  const lostBase = await addressOf(lost);
  assert.equal((await post(`${lostBase.replace(/\/v1$/, "")}/v1/orders`, { what: "tea" })).status, 201);
  await lost.until(/traces can't be sent/);
  lost.child.kill("SIGTERM");
  assert.equal((await lost.ended).code, 0);
});

test("invalid settings are rejected at the start", async () => {
  for (const [name, value] of [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_SAMPLER", "some"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "key"],
  ] as const) {
    const file = join(folder, "settings.env");
    writeFileSync(file, `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318\n${name}=${value}\n`);
    const { code, complaints } = await runCommand("serve", document, "--env-file", file, "--check-config");
    assert.equal(code, 2, name);
    assert.match(complaints, new RegExp(name));
  }
});
