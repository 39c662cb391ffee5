/** Bounds of part 8: sizes, times, and concurrent requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

const errors = `- Payload shape:

\`\`\`cel
{"code": error.code, "limit": error.limit, "after": error.retry_after}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| too_many | 420 | rate limited | |
| too_large | 413 | too large | |
| too_late | 504 | timed out | |
| invalid | 422 | invalid field | |`;

const rows = (...lines: readonly string[]) =>
  ["| Limit | Bound | Applies to |", "|---|---|---|", ...lines].join("\n");

test("no more requests run than the document allows", async (t) => {
  const limits = `${rows("| concurrency | 2 | every request |")}\n\n- Time-outs: none`;
  const served = await serveDocument(smallDocument({ errors, limits }));
  t.after(() => served.close());
  const texts = ["a", "b", "c", "d"];
  const answers = await Promise.all(texts.map((text) => served.send("POST", "/notes", { body: { text } })));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 201, 420, 420]);
  const refused = answers.find((answer) => answer.status === 420);
  assert.deepEqual(refused?.json, { code: "too_many", limit: 2, after: 1 });
  assert.equal((await served.send("POST", "/notes", { body: { text: "e" } })).status, 201);
  assert.equal((await served.send("GET", "/notes")).json.length, 3);
});

test("a request that exceeds its time-out is rejected, and nothing of it is stored", async (t) => {
  const limits = rows("| time-out | 2 seconds | every request |");
  const search = "### POST /search\n\n- Does: list Note\n- Returns: 200 list of Note";
  const endpoints = `${standing.endpoints}\n\n${search}`;
  const served = await serveDocument(smallDocument({ endpoints, errors, limits }));
  t.after(() => served.close());
  const slow = (target: string, body: string) => ({
    ...createRequest({
      method: "POST",
      target,
      headers: [
        ["Content-Type", "application/json"],
        ["Content-Length", "12"],
      ],
    }),
    body: async () => {
      await served.target.wait?.(3000);
      return new TextEncoder().encode(body);
    },
  });
  const answer = await served.target.service.fetch(slow("/notes", '{"text":"a"}'));
  assert.equal(answer.status, 504);
  assert.deepEqual(JSON.parse(String(answer.body)), { code: "too_late", limit: 2, after: null });
  assert.equal((await served.target.service.fetch(slow("/search", ""))).status, 504);
  assert.deepEqual((await served.send("GET", "/notes")).json, []);
});

test("bodies, targets and headers over their bounds are rejected with the document's own error", async (t) => {
  const limits = rows(
    "| body | 100 bytes | every request |",
    "| url | 60 bytes | every request |",
    "| headers | 200 bytes | every request |",
  );
  const served = await serveDocument(smallDocument({ errors, limits }));
  t.after(() => served.close());
  const long = await served.send("POST", "/notes", { body: { text: "x".repeat(100) } });
  assert.deepEqual([long.status, long.json.code, long.json.limit], [413, "too_large", "100 bytes"]);
  const far = await served.send("GET", `/notes?per_page=${"0".repeat(60)}`);
  assert.deepEqual([far.status, far.json.code], [413, "too_large"]);
  const heavy = await served.send("GET", "/notes", { headers: { "X-Long": "x".repeat(300) } });
  assert.deepEqual([heavy.status, heavy.json.limit], [413, "200 bytes"]);
  assert.deepEqual((await served.send("GET", "/notes")).json, []);
});

test("a page has the default size, and a page over the bound is rejected", async (t) => {
  const served = await serveDocument(smallDocument({ errors, limits: standing.limits }));
  t.after(() => served.close());
  assert.equal((await served.send("GET", "/notes?per_page=201")).status, 422);
  assert.equal((await served.send("GET", "/notes?per_page=200&page=900000000000000")).status, 200);
  assert.equal((await served.send("GET", "/notes?per_page=1&per_page=2")).status, 422);
  assert.equal((await served.send("GET", "/notes?page[]=1")).status, 422);
});
