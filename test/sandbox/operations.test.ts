/** Operations address of a sandbox: metrics, overview, reset. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { main } from "../../src/cli/main.ts";
import { pathOf } from "../repository/repository.ts";
import { inSpace, parcel, parcelDesk, type Sandbox, send, startSandbox } from "./start-sandbox.ts";

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox(...parcelDesk);
});
after(() => sandbox?.stop());

type Door = ReturnType<typeof inSpace>;

const references = async ({ request }: Door): Promise<readonly string[]> => {
  const { json } = await request("GET", "/v1/parcels?limit=100");
  return (json.data as { reference: string | null }[]).map((listed) => listed.reference ?? "-").sort();
};
const seeded = ["-", "A-1001", "A-1002", "A-1003"];

const statusOf = async ({ request }: Door, id: string): Promise<string> => {
  const { status, json } = await request("GET", `/v1/parcels/${id}`);
  assert.equal(status, 200, JSON.stringify(json));
  return json.status;
};

const make = async ({ request }: Door, reference: string): Promise<string> => {
  const { status, json } = await request("POST", "/v1/parcels", parcel(reference));
  assert.equal(status, 201, JSON.stringify(json));
  return json.id;
};

test("metrics name their data space", async () => {
  await inSpace(sandbox, "measured").request("GET", "/v1/parcels");
  await inSpace(sandbox, "default").request("GET", "/v1/parcels");
  const { origin, hash } = new URL(sandbox.operations);
  const answer = await fetch(`${origin}/metrics`, {
    headers: { Authorization: `Bearer ${hash.slice("#t=".length)}` },
  });
  const text = await answer.text();
  assert.match(text, /^http_server_request_duration_seconds_count\{.*_code="200",space="default"\} \d+$/m);
  assert.match(text, /^ninefold_timers_due\{space="default"\} \d+$/m);
  assert.match(text, /^process_resident_memory_bytes \d+$/m);
});

test("the overview has the sandbox, the content of the data space, and possible requests", async () => {
  const { operate } = inSpace(sandbox, "overview");
  const { status, json } = await operate("GET", "/api");
  assert.equal(status, 200);
  assert.equal(json.document, "Parcel Desk");
  assert.equal(json.service, sandbox.service);
  assert.equal(json.space, "overview");
  assert.equal(json.sandbox.space_header, "Ninefold-Space");
  assert.deepEqual(json.records, { Shop: 1, ApiKey: 2, Parcel: 4, Hook: 0 });
  assert.ok(json.operations.some((line: string) => line.startsWith("POST /api/clock: ")));
});

test("a reset restores the initial state: the seed's records, no events, no requests, the machine's time", async () => {
  const door = inSpace(sandbox, "reset");
  const id = await make(door, "B-1");
  await door.operate("POST", "/api/clock", { advance: "400 days" });
  const answer = await door.operate("POST", "/api/reset");
  assert.equal(answer.json.made, 7);
  assert.ok(Math.abs(Date.parse(answer.json.clock.now) - Date.now()) < 60_000);
  assert.deepEqual((await door.operate("GET", "/api/events")).json.events, []);
  assert.deepEqual((await door.operate("GET", "/api/requests")).json.requests, []);
  assert.deepEqual(await references(door), seeded);
  assert.equal((await door.request("GET", `/v1/parcels/${id}`)).status, 404);
  assert.equal((await door.operate("POST", "/api/reset", { seed: false })).json.made, 0);
  assert.equal((await door.request("GET", "/v1/parcels")).status, 401);
});

test("a snapshot restores records, events, timers and the clock, any number of times", async () => {
  const door = inSpace(sandbox, "snapshots");
  await door.operate("POST", "/api/clock", { stopped: true });
  const kept = await make(door, "B-1");
  await door.operate("POST", "/api/clock", { advance: "13 days" });
  const { json: before } = await door.operate("GET", "/api/clock");
  const taken = await door.operate("POST", "/api/snapshots", { name: "a day before" });
  assert.equal(taken.status, 200);
  assert.equal(taken.json.now, before.now);
  for (let times = 0; times < 2; times += 1) {
    const later = await make(door, "B-2");
    await door.operate("POST", "/api/clock", { advance: "1 day" });
    assert.equal(await statusOf(door, kept), "returned");
    const { json } = await door.operate("POST", "/api/snapshots/a%20day%20before/restore");
    assert.deepEqual(json.clock, before);
    assert.equal(await statusOf(door, kept), "registered");
    assert.equal((await door.request("GET", `/v1/parcels/${later}`)).status, 404);
    const types = (await door.operate("GET", "/api/events")).json.events.map(
      (event: { type: string }) => event.type,
    );
    assert.deepEqual(types, ["parcel.registered"]);
  }
  // The restored timers fire at their time.
  await door.operate("POST", "/api/clock", { advance: "1 day" });
  assert.equal(await statusOf(door, kept), "returned");
  assert.equal((await door.operate("DELETE", "/api/snapshots/a%20day%20before")).status, 200);
  const gone = await door.operate("POST", "/api/snapshots/a%20day%20before/restore");
  assert.equal(gone.status, 404);
  assert.match(gone.json.detail, /no snapshot "a day before" in this data space; it has none/);
});

test("snapshots are taken, restored and reset to during requests, and each request is answered", async () => {
  const door = inSpace(sandbox, "busy");
  await make(door, "B-0");
  await door.operate("POST", "/api/snapshots", { name: "start" });
  let stopped = false;
  const statuses = new Set<number>();
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let round = 0; !stopped; round += 1) {
      const { status } = await door.request("POST", "/v1/parcels", parcel(`C-${client}-${round}`));
      statuses.add(status);
      statuses.add((await door.request("GET", "/v1/parcels?limit=1")).status);
    }
  });
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await door.operate("POST", "/api/snapshots", { name: "on the way" })).status, 200);
    assert.equal((await door.operate("POST", "/api/snapshots/start/restore")).status, 200);
    assert.equal((await door.operate("POST", "/api/reset")).status, 200);
    assert.equal((await door.operate("POST", "/api/snapshots/on%20the%20way/restore")).status, 200);
  }
  stopped = true;
  await Promise.all(clients);
  // A record that is created again after a restore may have a reference that the snapshot has. The
  // document also states a rate.
  for (const own of [409, 429]) statuses.delete(own);
  assert.deepEqual([...statuses].sort(), [200, 201]);
  await door.operate("POST", "/api/snapshots/start/restore");
  assert.deepEqual(await references(door), [...seeded, "B-0"]);
});

test("the clock runs everything that is due in between, in order and at its own time", async () => {
  const door = inSpace(sandbox, "clock");
  await door.operate("POST", "/api/clock", { now: "2027-03-01T12:00:00Z", stopped: true });
  const first = await make(door, "first");
  await door.operate("POST", "/api/clock", { advance: "2 days" });
  const second = await make(door, "second");
  await door.operate("POST", "/api/clock", { advance: "11 days" });
  assert.equal(await statusOf(door, first), "registered");
  const { json } = await door.operate("POST", "/api/clock", { advance: "20 days" });
  assert.deepEqual(json, { now: "2027-04-03T12:00:00.000Z", stopped: true });
  const events = (await door.operate("GET", "/api/events?type=parcel.returned")).json.events as {
    time: string;
    subject: string;
  }[];
  // A parcel of the seed was returned while the clock moved to spring, if the log still has it.
  const returned = events.filter(({ time }) => time > "2027-03");
  assert.deepEqual(
    returned.map((event) => [event.time, event.subject]),
    [
      ["2027-03-15T12:00:00.000Z", first],
      ["2027-03-17T12:00:00.000Z", second],
    ],
  );
  // Moving the clock backward undoes nothing.
  await door.operate("POST", "/api/clock", { now: "2027-03-01T12:00:00Z" });
  assert.equal(await statusOf(door, first), "returned");
  const third = await make(door, "third");
  await door.operate("POST", "/api/clock", { advance: "14 days", stopped: false });
  assert.equal(await statusOf(door, third), "returned");
  const { now, stopped } = (await door.operate("GET", "/api/clock")).json;
  assert.equal(stopped, false);
  assert.ok(Date.parse(now) >= Date.parse("2027-03-15T12:00:00Z"));
});

test("records are added under the document's rules, and earlier names are valid", async () => {
  const { request, operate } = inSpace(sandbox, "records", "sk_linus");
  const made = await operate("POST", "/api/records", {
    given: [
      'Shop with name = "Linus" as linus',
      'ApiKey with shop = linus, key = "sk_linus", scopes = ["read"]',
    ],
  });
  assert.equal(made.status, 200, JSON.stringify(made.json));
  assert.equal(made.json.records[0].as, "linus");
  assert.equal(made.json.records[1].record.key, "sk_linus");
  const more = await operate("POST", "/api/seed", {
    markdown: `Two parcels.

- Given: \`Parcel with shop = linus, recipient = "Ken", address = {"line": "1", "city": "Oslo", "country": "NO"}, weight_grams = 5, reference = "L-1"\`
- Given: \`Parcel with shop = linus, recipient = "Rob", address = {"line": "1", "city": "Oslo", "country": "NO"}, weight_grams = 5, reference = "L-2"\``,
  });
  assert.equal(more.json.records.length, 2, JSON.stringify(more.json));
  assert.equal((await request("GET", "/v1/parcels")).json.data.length, 2);
  const list = await operate("GET", "/api/records/ApiKey?limit=10");
  assert.equal(list.json.records[0].references.shop.label, "Linus", JSON.stringify(list.json));
  assert.ok(list.json.records.every(({ fields }: { fields: object }) => !("key" in fields)));
  const refused = await operate("POST", "/api/records", { given: ['Shop with name = "B"', "Parcel"] });
  assert.equal(refused.status, 422);
  assert.match(refused.json.detail, /Line 2: Parcel\.recipient is required\. Nothing was stored\./);
  const misspelt = await operate("POST", "/api/records", { given: 'Shop with nam = "B"' });
  assert.equal(misspelt.json.errors[0].hint, "Did you mean `name`?");
  assert.equal((await operate("GET", "/api")).json.records.Shop, 2);
});

test("the `Given` items of a scenario are a seed", async () => {
  const { request, operate } = inSpace(sandbox, "scenario", "sk_grace");
  await operate("POST", "/api/reset", { seed: false });
  const { json } = await operate("POST", "/api/seed", {
    scenario: "one shop never sees the parcels of another",
  });
  assert.deepEqual(
    json.records.map((record: { resource: string }) => record.resource),
    ["Shop", "Shop", "ApiKey", "ApiKey", "Parcel"],
  );
  assert.equal((await request("GET", "/v1/parcels")).json.data.length, 0);
  const wrong = await operate("POST", "/api/seed", { scenario: "a parcel reaches its recipent" });
  assert.equal(wrong.status, 404);
  assert.match(wrong.json.detail, /Did you mean "a parcel reaches its recipient"\?/);
});

test("the last requests are listed with their responses", async () => {
  const door = inSpace(sandbox, "requests");
  await door.request("GET", "/v1/parcels?limit=1");
  await door.request("GET", "/v1/nowhere");
  const { requests } = (await door.operate("GET", "/api/requests")).json;
  assert.deepEqual(
    requests.map((request: { method: string; path: string; status: number }) => [
      request.method,
      request.path,
      request.status,
    ]),
    [
      ["GET", "/v1/nowhere", 404],
      ["GET", "/v1/parcels?limit=1", 200],
    ],
  );
});

test("data spaces are listed, and a removed one starts anew", async () => {
  const door = inSpace(sandbox, "taken");
  await make(door, "B-1");
  const listed = await door.operate("GET", "/api/spaces");
  assert.ok(listed.json.spaces.some((space: { space: string }) => space.space === "taken"));
  assert.deepEqual((await door.operate("DELETE", "/api/spaces/taken")).json, { removed: ["taken"] });
  assert.deepEqual(await references(door), seeded);
  assert.equal((await door.operate("DELETE", "/api/spaces/never")).status, 404);
  assert.equal((await door.operate("DELETE", "/api/spaces/default")).status, 409);
});

test("unreadable input is reported in a sentence", async () => {
  const { operate, request } = inSpace(sandbox, "words");
  const reported = async (method: string, path: string, body?: unknown) => {
    const { status, headers, json } = await operate(method, path, body);
    assert.equal(headers["content-type"], "application/problem+json");
    assert.equal(json.status, status);
    return `${status} ${json.detail}`;
  };
  assert.match(
    await reported("POST", "/api/clock", { advanse: "1 day" }),
    /^400 .* Did you mean "advance"\?$/,
  );
  assert.match(
    await reported("POST", "/api/clock", { advance: "soon" }),
    /^400 "advance" must be a length of time/,
  );
  assert.match(
    await reported("POST", "/api/clock", { advance: "9999999 days" }),
    /^400 A timestamp can't be later/,
  );
  assert.match(await reported("POST", "/api/clock", { now: "tomorrow" }), /^400 "now" must be a timestamp/);
  assert.match(
    await reported("POST", "/api/clock", { stopped: 1 }),
    /^400 The field "stopped": It must be true or false\./,
  );
  assert.match(await reported("POST", "/api/clock", {}), /^400 Send /);
  assert.match(await reported("POST", "/api/clock", []), /^400 The body must be a JSON object/);
  assert.match(
    await reported("POST", "/api/snapshots", { name: "a/b" }),
    /^400 The field "name": It must be a name of at most 64 characters/,
  );
  assert.match(await reported("POST", "/api/snapshots/none/restore"), /^404 /);
  assert.match(await reported("GET", "/api/events?limit=all"), /^400 The parameter "limit"/);
  assert.match(await reported("GET", "/api/records/Parcels"), /^404 .* Did you mean Parcel\?$/);
  assert.match(await reported("PUT", "/api/clock"), /^405 This route accepts GET, HEAD, POST/);
  assert.match(await reported("GET", "/api/klock"), /^404 GET \/api lists/);
  const tooLong = { markdown: `- Given: Shop${" ".repeat(1024 * 1024)}` };
  assert.match(await reported("POST", "/api/seed", tooLong), /^413 The body is larger than 1 MiB/);
  const badName = inSpace(sandbox, "a/b");
  assert.equal((await badName.operate("GET", "/api")).status, 400);
  assert.equal((await badName.request("GET", "/v1/parcels")).json.title, "Invalid name of a data space");
  assert.equal((await request("GET", "/v1/parcels")).status, 200);
});

test("pages in a browser can't use it, whatever name resolves to it", async () => {
  const { host, origin: operations, hash } = new URL(sandbox.operations);
  const own = { Authorization: `Bearer ${hash.slice("#t=".length)}` };
  const reset = (headers: Readonly<Record<string, string>>, body?: string) =>
    send("POST", `${operations}/api/reset`, {
      headers: { ...own, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  assert.equal((await reset({ Origin: "http://elsewhere.example" })).status, 403);
  assert.equal((await reset({ Origin: "null" })).status, 403);
  assert.equal((await reset({ "Sec-Fetch-Site": "cross-site" })).status, 403);
  assert.equal((await reset({ "Sec-Fetch-Site": "same-site" })).status, 403);
  assert.equal((await reset({ Host: "elsewhere.example" })).status, 403);
  assert.equal((await reset({ "Content-Type": "text/plain" }, '{"seed": false}')).status, 415);
  assert.equal((await reset({ Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" })).status, 200);
  const twice = await rawRequest(sandbox.service, [
    "GET /v1/parcels HTTP/1.1",
    `Host: ${new URL(sandbox.service).host}`,
    "Ninefold-Space: a",
    "ninefold-space: b",
    "Connection: close",
  ]);
  assert.match(twice, /^HTTP\/1\.1 400 [\s\S]*occurs twice/);
});

async function rawRequest(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let answer = "";
  for await (const piece of socket) answer += piece;
  return answer;
}

test("at the maximum number of data spaces, the least recently used is closed, and its clients are notified", async () => {
  const small = await startSandbox(...parcelDesk, "--spaces-max", "3", "--space-header", "X-Tenant");
  try {
    const list = (tenant: string) =>
      send("GET", `${small.service}/v1/parcels`, {
        headers: { "X-Tenant": tenant, Authorization: "Bearer sk_ada_4f1c09" },
      });
    const names = async () =>
      (await inSpace(small, "a").operate("GET", "/api/spaces")).json.spaces.map(
        (space: { space: string }) => space.space,
      );
    for (const tenant of ["a", "b", "a", "c"]) assert.equal((await list(tenant)).status, 200);
    assert.deepEqual((await names()).sort(), ["a", "c", "default"]);
    const closed = await list("b");
    assert.equal(closed.status, 410);
    assert.match(closed.json.detail, /"b" was closed, and its data deleted: 3 others were used after it/);
    assert.deepEqual((await inSpace(small, "a").operate("DELETE", "/api/spaces/b")).json, { removed: ["b"] });
    assert.equal((await list("b")).status, 200);
    assert.equal((await list("a")).status, 410);
  } finally {
    await small.stop();
  }
});

test("with --store each data space is a file: all its data is there after a restart, and its clock has the same time", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-sandbox-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const args = [...parcelDesk, "--store", join(folder, "desk.db"), "--spaces-max", "2"];
  const first = await startSandbox(...args);
  const id = await make(inSpace(first, "Blue"), "B-1");
  await inSpace(first, "Blue").operate("POST", "/api/clock", { now: "2031-01-01T00:00:00Z", stopped: true });
  const door = inSpace(first, "Blue");
  await door.operate("POST", "/api/snapshots", { name: "s" });
  await make(door, "B-2");
  assert.equal((await door.operate("POST", "/api/snapshots/s/restore")).status, 200);
  assert.deepEqual(await references(door), [...seeded, "B-1"]);
  await make(door, "B-3");
  // Another data space takes its slot; its file stays.
  assert.deepEqual(await references(inSpace(first, "green")), seeded);
  assert.deepEqual(await references(door), [...seeded, "B-1", "B-3"]);
  await first.stop();
  // A file in a data space's folder that is not a store stays unchanged.
  writeFileSync(join(folder, "desk.space-letter.db"), "a letter to somebody");
  const second = await startSandbox(...args);
  try {
    const again = inSpace(second, "Blue");
    assert.deepEqual((await again.operate("GET", "/api/clock")).json, {
      now: "2031-01-01T00:00:00.000Z",
      stopped: true,
    });
    assert.deepEqual(await references(again), [...seeded, "B-1", "B-3"]);
    assert.equal(await statusOf(again, id), "returned");
    const letter = inSpace(second, "letter");
    for (const { status, json } of [
      await letter.request("GET", "/v1/parcels"),
      await letter.operate("GET", "/api"),
    ]) {
      assert.equal(status, 503);
      assert.match(json.detail, /desk\.space-letter\.db is not a Ninefold store/);
    }
    assert.equal((await again.operate("POST", "/api/reset")).status, 200);
    assert.deepEqual(await references(again), seeded);
    assert.deepEqual((await again.operate("DELETE", "/api/spaces")).json, { removed: ["Blue"] });
    const files = readdirSync(folder).filter((name) => name.endsWith(".db"));
    assert.deepEqual(files, ["desk.db", "desk.space-green.db", "desk.space-letter.db"]);
  } finally {
    await second.stop();
  }
});

test("`ninefold data` on the store of a running sandbox says how to change its records", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-sandbox-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, "desk.db");
  const owner = await startSandbox(...parcelDesk, "--store", store);
  try {
    let complaints = "";
    const args = ["data", "list", pathOf("examples/parcel-desk.md"), "Shop", "--store", store];
    const code = await main(args, {
      write() {},
      printError: (text) => {
        complaints += text;
      },
      isTerminal: false,
      colour: false,
      environment: {},
    });
    assert.equal(code, 3);
    assert.match(
      complaints,
      /is in use by another process \(process \d+, since \S+\)\. That process has no operations address \(--no-operations\): stop it first\./,
    );
    assert.match(complaints, /`ninefold sandbox add` and `ninefold sandbox list`/);
  } finally {
    await owner.stop();
  }
});
