/** Spans in OTLP: unit tests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Span } from "../../../engine/trace.ts";
import { silentLog } from "../../../engine/ports.ts";
import { createTraceExporter } from "./exporter.ts";
import { exportRequest } from "./otlp.ts";
import type { TracingSettings } from "./settings.ts";

const spans: readonly Span[] = [
  {
    context: {
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      spanId: "00f067aa0ba902b7",
      parentId: "b7ad6b7169203331",
      isSampled: true,
    },
    name: "POST /v1/orders ä",
    kind: "server",
    beganMs: 1_790_000_000_000.5,
    endedMs: 1_790_000_000_012.25,
    attributes: {
      "http.route": "/v1/orders",
      "http.response.status_code": 503,
      share: 0.25,
      below: -1,
      large: 2 ** 40,
    },
    error: "503",
  },
  {
    context: { traceId: "00000000000000000000000000000001", spanId: "0000000000000002", isSampled: false },
    name: "",
    kind: "internal",
    beganMs: 0,
    endedMs: 0,
    attributes: {},
  },
];
const teller = { resource: { "service.name": "orders" }, version: "1.2.3" };

/**
 * When these bytes were recorded, OpenTelemetry's own definitions (`ExportTraceServiceRequest` in
 * `@opentelemetry/otlp-transformer` 0.203.0) decoded them to exactly the JSON form, field by field.
 */
const recorded =
  "0ac8020a1a0a180a0c736572766963652e6e616d6512080a066f726465727312a9020a110a086e696e65666f6c641205312e322e3312d7010a104bf92f3577b34da6a3ce929d0e0e4736120800f067aa0ba902b72208b7ad6b71692033312a12504f5354202f76312f6f726465727320c3a430023920a1fa23845bd7184190ebad24845bd7184a1a0a0a687474702e726f757465120c0a0a2f76312f6f72646572734a200a19687474702e726573706f6e73652e7374617475735f636f6465120318f7034a120a057368617265120921000000000000d03f4a140a0562656c6f77120b18ffffffffffffffffff014a100a056c617267651207188080808080207a0712033530331802850101000000123a0a1000000000000000000000000000000001120800000000000000022a0030013900000000000000004100000000000000007a00850100000000";

test("OpenTelemetry's own definitions decode the Protocol Buffers of spans", () => {
  const written = exportRequest("http/protobuf", spans, teller);
  assert.ok(typeof written !== "string");
  assert.equal(Buffer.from(written).toString("hex"), recorded);
});

test("a collector gets the requested form, under its media type", async () => {
  const got: [string | undefined, string][] = [];
  const server = createServer(async (request, response) => {
    got.push([request.headers["content-type"], Buffer.concat(await request.toArray()).toString("hex")]);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const settings: TracingSettings = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    form: "http/protobuf",
    headers: {},
    resource: teller.resource,
    share: 1,
    followsCallers: true,
  };
  const exporter = createTraceExporter(settings, teller.version, silentLog);
  exporter.record(spans[0] as Span);
  await exporter.close();
  const expected = Buffer.from(exportRequest("http/protobuf", spans.slice(0, 1), teller)).toString("hex");
  assert.deepEqual(got, [["application/x-protobuf", expected]]);
  server.closeAllConnections();
  server.close();
});
