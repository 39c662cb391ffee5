/**
 * The request journal in the operations API: filters, one request in full, no secret in any output,
 * repeated requests, and the command line.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Operations, startOperations } from "./start-operations.ts";
import { send } from "../sandbox/start-sandbox.ts";
import type { RequestResponse, RequestsResponse } from "../../src/admin/api/requests/requests.ts";

let desk: Operations;
let conduit: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
  conduit = await startOperations("examples/conduit.md");
});
after(async () => {
  await desk.stop();
  await conduit.stop();
});

const version = { "Parcel-Version": "2026-11-01" };
const ada = { Authorization: "Bearer sk_ada_4f1c09", ...version };
const courier = { Authorization: "Bearer sk_courier_77b2e1", ...version };
const parcel = {
  recipient: "Grace",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1200,
};

const request = (
  of: Operations,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) => send(method, of.serviceUrl + path, { headers, ...(body === undefined ? {} : { body }) });

const list = async (of: Operations, query = ""): Promise<RequestsResponse["requests"]> =>
  ((await of.operate("GET", `/api/requests${query}`)).json as RequestsResponse).requests;

const requestById = async (of: Operations, id: string): Promise<RequestResponse> =>
  (await of.operate("GET", `/api/requests/${id}`)).json as RequestResponse;

test("a change and its rejection are listed with caller, records, events and the deciding line", async () => {
  const made = (await request(desk, "POST", "/v1/parcels", ada, parcel)).json as { id: string };
  await request(desk, "POST", `/v1/parcels/${made.id}/collect`, courier);
  await request(desk, "POST", `/v1/parcels/${made.id}/collect`, courier);
  const [refused, collected, created] = await list(desk, "?limit=3");
  assert.ok(refused && collected && created);
  assert.deepEqual(
    [refused.status, refused.condition, refused.code, refused.changes, refused.events],
    [409, "illegal transition", "wrong_state", 0, 0],
  );
  assert.equal(refused.endpoint, "POST /parcels/{id}/collect");
  assert.equal(refused.caller?.resource, "ApiKey");
  assert.deepEqual([collected.changes, collected.events], [1, 1]);
  const detail = await requestById(desk, collected.id);
  assert.deepEqual(detail.changed, [
    {
      resource: "Parcel",
      id: made.id,
      kind: "updated",
      transitions: [{ name: "collect", from: "registered", to: "in_transit" }],
    },
  ]);
  assert.match(detail.because?.text ?? "", /^\| collect \| registered \| in_transit/);
  assert.equal(detail.because?.line, refused.line);
  assert.deepEqual(
    detail.listed_events.map(({ type }) => type),
    ["parcel.collected"],
  );
  const creation = await requestById(desk, String(created.number));
  assert.equal(creation.id, created.id);
  assert.deepEqual(JSON.parse(creation.body?.text ?? ""), parcel);
  assert.equal(JSON.parse(creation.answer.body?.text ?? "").id, made.id);
  assert.equal(creation.version, "2026-11-01");
});

test("a rejection has its reason at the rejected input", async () => {
  const problemOf = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
    await request(desk, method, path, headers);
    const [last] = await list(desk, "?limit=1");
    return (await requestById(desk, (last as { readonly id: string }).id)).problem;
  };
  const { json } = await request(desk, "POST", "/v1/parcels", ada, parcel);
  const path = `/v1/parcels/${json.id}`;
  assert.equal(
    await problemOf("POST", `${path}/collect?x=1`, ada),
    `POST ${path}/collect is not allowed to this caller`,
  );
  assert.equal(await problemOf("POST", `${path}/deliver`, { ...courier }), "signed_by is required");
  assert.equal(await problemOf("GET", "/v1/parcels", {}), "The request needs a credential");
  assert.equal(await problemOf("GET", "/v1/nowhere", ada), "/v1/nowhere is not a path of this service");
  assert.equal(await problemOf("GET", "/v1/parcels/none", ada), "The Parcel does not exist");
});

test("filters return the matching requests", async () => {
  const { id } = (await request(desk, "POST", "/v1/parcels", ada, parcel)).json as { id: string };
  await request(desk, "GET", `/v1/parcels/${id}`, {});
  await request(desk, "DELETE", "/v1/nowhere", ada);
  const statuses = async (query: string) => (await list(desk, query)).map(({ status }) => status);
  assert.ok((await statuses("?status=4xx")).every((status) => status >= 400 && status < 500));
  assert.deepEqual(new Set(await statuses("?status=401")), new Set([401]));
  assert.deepEqual(
    (await list(desk, `?record=Parcel/${id}`)).map(({ status }) => status),
    [201],
  );
  assert.deepEqual(
    (await list(desk, "?method=delete")).map(({ path }) => path),
    ["/v1/nowhere"],
  );
  assert.ok((await list(desk, "?text=nowhere")).every(({ path }) => path.includes("nowhere")));
  assert.ok((await list(desk, "?condition=no_key")).every(({ code }) => code === "no_key"));
  assert.ok((await list(desk, "?condition=unauthenticated")).length > 0);
  const [newest] = await list(desk, "?limit=1");
  assert.ok(newest);
  assert.ok((await list(desk, `?before=${newest.number}`)).every(({ number }) => number < newest.number));
  const wrong = await desk.operate("GET", "/api/requests?status=many");
  assert.equal(wrong.status, 400);
});

test("no secret is shown: keys, tokens, passwords, `shown once` values, and possible secrets", async () => {
  await request(desk, "POST", "/v1/hooks", ada, { url: "https://example.com/hook" });
  await request(desk, "GET", "/v1/parcels?token=s3cret-token&limit=1", { ...ada, Cookie: "session=c00kie" });
  const hook = (await request(desk, "POST", "/v1/hooks", ada, { url: "https://example.com/again" })).json;
  const user = { username: "jacob", email: "jake@jake.jake", password: "jakejake-pass" };
  const signedUp = await request(conduit, "POST", "/api/users", {}, { user });
  assert.equal(signedUp.status, 201, JSON.stringify(signedUp.json));
  const token = (signedUp.json as { user: { token: string } }).user.token;
  // A mistyped name, and a body that is not JSON, are masked too.
  await request(
    conduit,
    "POST",
    "/api/users/login",
    {},
    { user: { email: user.email, pasword: "mistyped-pass" } },
  );
  await request(
    conduit,
    "POST",
    "/api/users/login",
    { "Content-Type": "application/json" },
    '{"user": {"email": "a", "password": "broken-pass',
  );
  await request(
    conduit,
    "POST",
    "/api/users/login",
    {},
    { user: { email: user.email, password: user.password } },
  );
  await request(conduit, "GET", "/api/user", { Authorization: `Token ${token}` });
  const events: string[] = [];
  for (const served of [desk, conduit])
    for (const { id } of await list(served)) {
      events.push(JSON.stringify(await requestById(served, id)));
      events.push(JSON.stringify((await served.operate("GET", `/api/requests/${id}/curl`)).json));
    }
  const all = events.join("\n") + JSON.stringify(await list(desk)) + JSON.stringify(await list(conduit));
  const secret = (hook as { secret: string }).secret;
  assert.match(secret, /^whsec_/);
  for (const text of [
    secret,
    "sk_ada_4f1c09",
    "sk_courier_77b2e1",
    "s3cret-token",
    "c00kie",
    "jakejake-pass",
    "mistyped-pass",
    "broken-pass",
    token,
  ])
    assert.ok(!all.includes(text), `"${text}" is shown`);
  assert.ok(all.includes("jake@jake.jake"));
});

test("a long body is truncated and marked so", async () => {
  const long = { ...parcel, recipient: "x".repeat(30_000) };
  const answer = await request(desk, "POST", "/v1/parcels", ada, long);
  assert.equal(answer.status, 422);
  const [row] = await list(desk, "?limit=1");
  const events = await requestById(desk, row?.id ?? "");
  assert.equal(events.body?.cut, true);
  assert.equal(events.body?.text?.length, 16 * 1024);
  assert.equal((await desk.operate("POST", `/api/requests/${row?.id}/repeat`)).status, 409);
});

test("a request is sent again unchanged, with the credential that is masked in all output", async () => {
  const before = (await list(desk, "?limit=1"))[0]?.number ?? 0;
  await request(desk, "POST", "/v1/parcels", ada, { ...parcel, recipient: "Again" });
  const [first] = await list(desk, "?limit=1");
  const repeated = await desk.operate("POST", `/api/requests/${first?.id}/repeat`);
  assert.equal(repeated.json.status, 201);
  const [second] = await list(desk, "?limit=1");
  assert.equal(second?.id, repeated.json.id);
  assert.equal(second?.number, before + 2);
  assert.equal((await requestById(desk, second?.id ?? "")).caller?.id, first?.caller?.id);
  assert.equal((await desk.operate("POST", "/api/requests/req_none/repeat")).status, 404);
});

test("the command line sends the same request", async () => {
  await request(desk, "POST", "/v1/parcels", ada, { ...parcel, recipient: "O'Hara $HOME `id`" });
  const [row] = await list(desk, "?limit=1");
  const { curl } = (await desk.operate("GET", `/api/requests/${row?.id}/curl`)).json as { curl: string };
  const { stdout } = await promisify(execFile)("sh", ["-c", curl], {
    env: { ...process.env, CREDENTIAL: "sk_ada_4f1c09", no_proxy: "127.0.0.1" },
  });
  assert.match(stdout, /^HTTP\/1.1 201/);
  assert.ok(stdout.includes("O'Hara $HOME `id`"));
});

test("the form of Try it is a curl command that works before it is sent, without its credential", async () => {
  const form = {
    method: "POST",
    path: "/v1/parcels",
    version: "2026-11-01",
    headers: [{ name: "Content-Type", value: "application/json" }],
    body: JSON.stringify({ ...parcel, recipient: "D'Arcy $HOME" }),
    caller: { scheme: "secret key", texts: ["sk_ada_4f1c09"] },
  };
  const before = (await list(desk)).length;
  const { status, json } = await desk.operate("POST", "/api/trial-curl", form);
  const { curl } = json as { curl: string };
  assert.equal(status, 200, curl);
  assert.doesNotMatch(curl, /sk_ada/);
  assert.equal((await list(desk)).length, before);
  const { stdout } = await promisify(execFile)("sh", ["-c", curl], {
    env: { ...process.env, CREDENTIAL: "sk_ada_4f1c09", no_proxy: "127.0.0.1" },
  });
  assert.match(stdout, /^HTTP\/1.1 201/);
  assert.match(stdout, /"recipient":"D'Arcy \$HOME"/);
});
