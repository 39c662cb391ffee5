/**
 * The lens that shows the last requests of a running service: the operations address, its token,
 * and possible errors.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { lastRequests } from "../../src/language-server/last-requests.ts";

test("the last requests of an endpoint are listed, with the deciding line of a rejection", async (t) => {
  const row = {
    number: 1,
    id: "r",
    took_ms: 1,
    caller: null,
    code: null,
    changes: 0,
    events: 0,
    stream: null,
  };
  const requests = [
    {
      ...row,
      time: "2026-11-20T12:00:00Z",
      method: "POST",
      path: "/v1/parcels",
      status: 403,
      endpoint: "POST /parcels",
      condition: "not allowed",
      line: 221,
    },
    {
      ...row,
      time: "2026-11-20T12:00:01Z",
      method: "POST",
      path: "/v1/hooks",
      status: 201,
      endpoint: "POST /hooks",
      condition: null,
      line: null,
    },
  ];
  const server = createServer((request, response) => {
    const isOpen = request.headers.authorization === "Bearer right";
    response.writeHead(isOpen ? 200 : 401, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isOpen ? { requests, kept: 2 } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const found = await lastRequests({ url, token: "right" }, "POST /parcels");
  assert.deepEqual(found, {
    isPassed: true,
    text: "2026-11-20T12:00:00Z  POST /v1/parcels  403  not allowed, line 221",
  });
  assert.match((await lastRequests({ url, token: "right" }, "GET /hooks")).text, /had no request so far/);
  assert.match(
    (await lastRequests({ url, token: undefined }, "GET /hooks")).text,
    /NINEFOLD_OPERATIONS_TOKEN/,
  );
  const closed = await lastRequests({ url: "http://127.0.0.1:1", token: "right" }, "GET /hooks");
  assert.match(closed.text, /can't be reached/);
});
