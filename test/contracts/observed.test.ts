/**
 * Observers of a service receive each request once, with its changes and the line of the document
 * that decided it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { AnsweredRequest } from "../../src/engine/observability/answered-request.ts";
import { Problem } from "../../src/engine/problem.ts";
import { compile } from "../../src/compile.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { createService, createRequest } from "../../src/index.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { smallDocument, serveDocument } from "./serve-document.ts";

const parcelDesk = readFileSync("examples/parcel-desk.md", "utf8");
const lines = parcelDesk.split("\n");

/** Returns the text of the deciding line. */
const decided = ({ because }: AnsweredRequest) =>
  because === null ? null : (lines[because.start.line - 1] as string);

async function openParcelDesk() {
  const reported: AnsweredRequest[] = [];
  const served = await serveDocument(parcelDesk, (request) => reported.push(request));
  const { model } = served.target.service;
  const given = `- Given: \`Shop with name = "Ada & Co" as shop\`
- Given: \`ApiKey with shop = shop, key = "sk_ada", scopes = ["read", "write"]\`
- Given: \`ApiKey with key = "sk_courier", scopes = ["courier"]\`
- Given: \`Hook with shop = shop, url = "https://example.com/hook", secret = "whsec_c2VjcmV0"\``;
  for (const step of readGivenItems(model, "seed.md", given, new Map()).steps)
    await served.target.given?.(step);
  const last = () => reported.at(-1) as AnsweredRequest;
  return { ...served, reported, last };
}

const ada = { Authorization: "Bearer sk_ada", "Parcel-Version": "2026-11-01" };
const courier = { Authorization: "Bearer sk_courier", "Parcel-Version": "2026-11-01" };
const parcel = {
  recipient: "Grace",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1200,
};

test("a change is reported with its caller, its changed records, its events and its line", async () => {
  const { send, reported, last, close } = await openParcelDesk();
  const made = (await send("POST", "/v1/parcels", { headers: ada, body: parcel })).json as { id: string };
  assert.equal(reported.length, 1);
  const creation = last();
  assert.equal(creation.request?.method, "POST");
  assert.equal(creation.response.status, 201);
  assert.equal(creation.endpoint?.path.text, "/parcels");
  assert.equal(creation.version, "2026-11-01");
  assert.equal(creation.caller?.resource, "ApiKey");
  assert.match(creation.caller?.id ?? "", /^key_/);
  assert.equal(creation.caller?.scheme, "secret key");
  assert.deepEqual(creation.changes(10), [
    { resource: "Parcel", row: 1, id: made.id, kind: "created", transitions: [], fields: [] },
  ]);
  assert.deepEqual(creation.events, [1]);
  assert.equal(decided(creation), "### POST /parcels");
  assert.equal(Buffer.from(creation.body ?? []).toString(), JSON.stringify(parcel));
  assert.equal(creation.stopped, null);

  await send("POST", `/v1/parcels/${made.id}/collect`, { headers: courier });
  assert.deepEqual(last().changes(10), [
    {
      resource: "Parcel",
      row: 1,
      id: made.id,
      kind: "updated",
      transitions: [{ name: "collect", from: "registered", to: "in_transit" }],
      fields: [
        { name: "status", values: { before: '"registered"', after: '"in_transit"' } },
        { name: "collected_at", values: { before: "null", after: '"2026-11-20T12:00:00.000Z"' } },
      ],
    },
  ]);
  assert.match(decided(last()) ?? "", /^\| collect +\| registered +\|/);
  assert.deepEqual(last().events, [2]);

  await send("POST", `/v1/parcels/${made.id}/collect`, { headers: courier });
  const refusal = last();
  assert.equal(refusal.response.status, 409);
  assert.ok(refusal.stopped instanceof Problem);
  assert.equal(refusal.stopped.details[0].condition, "illegal transition");
  assert.match(decided(refusal) ?? "", /^\| collect +\|/);
  assert.deepEqual([refusal.changeCount, refusal.changes(10), refusal.events], [0, [], []]);
  assert.equal(refusal.caller?.id, last().caller?.id);

  const list = await send("GET", "/v1/parcels?limit=1", { headers: ada });
  assert.equal(list.status, 200);
  assert.equal(decided(last()), "### GET /parcels");
  assert.deepEqual([last().changeCount, last().body], [0, null]);

  await send("GET", "/v1/nowhere");
  assert.deepEqual([last().endpoint, last().response.status, last().caller], [null, 404, null]);
  assert.equal(reported.length, 5);
  await close();
});

test("a response repeated for an idempotency key, and a 304 for an entity tag, have those lines as deciding lines", async () => {
  const { send, last, close } = await openParcelDesk();
  const headers = { ...ada, "Idempotency-Key": "one" };
  const { id } = (await send("POST", "/v1/parcels", { headers, body: parcel })).json as { id: string };
  await send("POST", "/v1/parcels", { headers, body: parcel });
  assert.match(decided(last()) ?? "", /^- Idempotency: /);
  assert.equal(last().changeCount, 0);
  const tag = (await send("GET", `/v1/parcels/${id}`, { headers: ada })).headers.find(
    ([name]) => name === "ETag",
  )?.[1] as string;
  assert.equal(
    (await send("GET", `/v1/parcels/${id}`, { headers: { ...ada, "If-None-Match": tag } })).status,
    304,
  );
  assert.match(decided(last()) ?? "", /^- Preconditions: /);
  await close();
});

test("requests of one group whose work is retried are reported once each, with the result of the last attempt", async () => {
  const reported: AnsweredRequest[] = [];
  const text = smallDocument({
    resources: `### Tag

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |`,
    endpoints: `### POST /tags

- Does: create Tag
- Body: name
- Returns: 201 Tag`,
  });
  const { send, close } = await serveDocument(text, (request) => reported.push(request));
  // The third request fails its group, which starts again.
  const sent = ["a", "b", "a", "c"].map((name) => send("POST", "/tags", { body: { name } }));
  assert.deepEqual(
    (await Promise.all(sent)).map(({ status }) => status),
    [201, 201, 409, 201],
  );
  const changed = reported.map((request) => request.changes(10).map(({ id, kind }) => `${kind} ${id}`));
  assert.deepEqual(changed.filter((events) => events.length > 0).sort(), [
    ["created a"],
    ["created b"],
    ["created c"],
  ]);
  assert.equal(reported.length, 4);
  assert.equal(new Set(reported.map(({ id }) => id)).size, 4);
  await close();
});

test("a failing observer changes no response", async () => {
  const errors: string[] = [];
  const { model } = compile(smallDocument(), { file: "document.md" });
  assert.ok(model);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const log = { ...silentLog, error: (_: unknown, message: string) => void errors.push(message) };
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    onAnswered() {
      throw new Error("no");
    },
  });
  const answer = await service.fetch(createRequest({ method: "GET", target: "/notes" }));
  assert.equal(answer.status, 200);
  assert.deepEqual(errors, ["an observer of requests failed"]);
  await service.close();
  await store.close();
});
