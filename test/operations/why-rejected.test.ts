/**
 * Rejection reasons: one sentence with the rule, the values that decided, and the values that would
 * be allowed.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md");
  const given = [
    'Shop with name = "Try" as tried',
    'ApiKey with shop = tried, key = "sk_try", scopes = ["read", "write"]',
    'ApiKey with key = "sk_move", scopes = ["courier"]',
  ];
  const { status, json } = await desk.operate("POST", "/api/records", { given });
  assert.equal(status, 200, JSON.stringify(json));
});
after(() => desk?.stop());

async function send(method: string, path: string, key: string | undefined, body?: object) {
  return fetch(desk.serviceUrl + path, {
    method,
    headers: {
      "Parcel-Version": "2026-11-01",
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body ? { "Content-Type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function whyLast(status: number): Promise<string> {
  const { json } = await desk.operate("GET", "/api/requests?limit=1");
  assert.equal(json.requests[0].status, status);
  const [row] = json.requests;
  const detail = await desk.operate("GET", `/api/requests/${json.requests[0].id}`);
  assert.equal(row.why, detail.json.why);
  return detail.json.why;
}

test("each kind of rejection is one sentence", async () => {
  const address = { line: "1 Harbour St", city: "Oslo", country: "NO" };
  const parcel = { recipient: "Grace", address, weight_grams: 1200 };
  const made = await send("POST", "/v1/parcels", "sk_try", parcel);
  assert.equal(made.status, 201);
  assert.equal(await whyLast(201), null);
  const { id } = (await made.json()) as { readonly id: string };

  await send("POST", `/v1/parcels/${id}/collect`, "sk_try");
  assert.match(
    await whyLast(403),
    /^POST \/v1\/parcels\/pcl_\w+\/collect is not allowed to this caller: line \d+ requires `"courier" in caller\.scopes`, and `caller\.scopes` is `\["read","write"\]`\.$/,
  );
  await send("POST", `/v1/parcels/${id}/deliver`, "sk_move", { signed_by: "G" });
  assert.match(
    await whyLast(409),
    /^The Parcel can't deliver while it is registered \(line \d+\); `deliver` is possible while it is `in_transit`; possible now: `collect`/,
  );
  await send("POST", "/v1/parcels", "sk_try", { ...parcel, weight_grams: 31_000 });
  assert.match(
    await whyLast(422),
    /^weight_grams must be at most 30000, and `31000` was sent \(line \d+\)\.$/,
  );
  await send("POST", "/v1/parcels", "sk_try", { weight_grams: 31_000 });
  // Each of several mistakes has its own line.
  assert.match(
    await whyLast(422),
    /^recipient is required \(line (\d+)\); address is required \(line (?!\1\))\d+\); weight_grams must be at most 30000, and `31000` was sent \(line \d+\)\.$/,
  );
  await send("GET", "/v1/parcels", undefined);
  assert.match(await whyLast(401), /a credential of `secret key` is accepted\.$/);
  await send("DELETE", "/v1/parcels", "sk_try");
  assert.match(await whyLast(405), /; allowed: .*`GET`.*`POST`|; allowed: .*`POST`.*`GET`/);
});

test("the last hour is grouped by endpoint, and requests are filtered by it", async () => {
  const { json } = await desk.operate("GET", "/api/traffic");
  const create = json.endpoints.find(
    (endpoint: { endpoint: string }) => endpoint.endpoint === "POST /parcels",
  );
  assert.deepEqual([create.requests, create.refused, create.errors], [3, 2, 0]);
  assert.equal(create.history.at(-1).requests + (create.history.at(-2)?.requests ?? 0), 3);
  assert.ok(create.p95_ms > 0);
  const query = new URLSearchParams({ endpoint: "POST /parcels" });
  const listed = await desk.operate("GET", `/api/requests?${query}`);
  assert.equal(listed.json.requests.length, 3);
});

test("a hidden record differs from a missing one, and an older version is named", async () => {
  const given = ['ApiKey with shop = Shop.first(), key = "sk_other", scopes = ["read"]'];
  assert.equal((await desk.operate("POST", "/api/records", { given })).status, 200);
  const other = [
    'Shop with name = "Other" as other',
    'ApiKey with shop = other, key = "sk_hidden", scopes = ["read"]',
  ];
  assert.equal((await desk.operate("POST", "/api/records", { given: other })).status, 200);
  const listed = await (await send("GET", "/v1/parcels", "sk_try")).json();
  const { id } = (listed as { readonly data: readonly { readonly id: string }[] }).data[0] ?? { id: "" };
  await send("GET", `/v1/parcels/${id}`, "sk_hidden");
  assert.match(await whyLast(404), /^The Parcel exists, and a condition hides it \(line \d+\)\.$/);
  await send("GET", "/v1/parcels/pcl_00000000000000000000", "sk_hidden");
  assert.match(await whyLast(404), /^The Parcel does not exist \(line \d+\)\.$/);

  await fetch(`${desk.serviceUrl}/v1/parcels`, {
    method: "POST",
    headers: { Authorization: "Bearer sk_try", "Content-Type": "application/json" },
    body: JSON.stringify({ recipient: "Grace", weight_grams: 1 }),
  });
  assert.match(
    await whyLast(422),
    /weight_grams .*; it was read as version `2026-03-01`, and `2026-11-01` is current\.$/,
  );
});
