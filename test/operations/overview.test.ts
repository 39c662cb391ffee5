/** The overview and its obstacles: the first response, and the updates on the stream. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openStream } from "./open-stream.ts";
import { type Operations, startOperations } from "./start-operations.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
});
after(() => desk?.stop());

test("it has the service, the document's answer to each of the 26 items, and a first request that works", async () => {
  const { status, json } = await desk.operate("GET", "/api/overview");
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual(
    [json.name, json.file, json.is_sandbox, json.space],
    ["Parcel Desk", "parcel-desk.md", false, "default"],
  );
  assert.equal(json.items.length, 26);
  const open = json.items.filter((item: { answer: string }) => item.answer === "not shown");
  assert.deepEqual(
    open.map((item: { part: string; item: string }) => [item.part, item.item]),
    [["Events", "notifications"]],
  );
  const [gap] = json.gaps;
  assert.equal(gap.line, open[0].line);
  assert.match(gap.message, /notifications/i);
  assert.match(json.curl, /sk_ada_4f1c09/);
  assert.equal(json.live.store.trouble, null);
  assert.ok(json.live.store.bytes > 0);
});

const kept = sqliteAlone("a store in PostgreSQL has a place");
test("a store in memory has no path in the overview", kept, async () => {
  const { json } = await desk.operate("GET", "/api/overview");
  assert.equal(json.live.store.path, null);
});

test("a document with gaps lists each gap with its line and an answer", async () => {
  const open = await startOperations("examples/unidentified-service.md");
  try {
    const { json } = await open.operate("GET", "/api/overview");
    assert.ok(json.gaps.length >= 9);
    for (const { line, hint } of json.gaps) assert.ok(line >= 1 && hint !== "", JSON.stringify(hint));
    assert.ok(json.items.some((item: { answer: string }) => item.answer !== "stated"));
  } finally {
    await open.stop();
  }
});

test("requests are counted, and the stream publishes the counts", async () => {
  const stream = await openStream(desk, "overview");
  try {
    await fetch(`${desk.serviceUrl}/v1/parcels`);
    const reported = await stream.until(
      ({ event, data }) => event === "overview" && data.value.traffic.requests > 0,
    );
    const { traffic } = reported.data.value;
    assert.equal(traffic.requests, 1);
    assert.equal(traffic.refused_share, 1);
    assert.ok(traffic.p95_ms > 0);
  } finally {
    stream.close();
  }
});

test("a saved text with mistakes is reported to every reader, until a correct one replaces it", async () => {
  const text = "# Interface Specification: Nothing\n\n## Nonsense\n";
  const { diagnostics } = compile(text, { file: "a.md" });
  const stream = await openStream(desk, "trouble");
  try {
    const first = await stream.until(({ event }) => event === "trouble");
    assert.deepEqual(first.data.value, { store: null, document: null });
    desk.operated.draft.show({ text, diagnostics, reason: "a.md has errors." });
    const reported = await stream.until(({ data }) => data.value?.document);
    assert.equal(reported.data.value.document.reason, "a.md has errors.");
    assert.ok(reported.data.value.document.mistakes > 0);
    assert.deepEqual((await desk.operate("GET", "/api/trouble")).json, reported.data.value);
    desk.operated.draft.show(null);
    await stream.until(({ event, data }) => event === "trouble" && data.value.document === null);
  } finally {
    stream.close();
  }
});
