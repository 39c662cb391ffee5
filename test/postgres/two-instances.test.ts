/**
 * Two instances of a service on one schema, each with a clock that is wrong by up to five seconds:
 * together they behave like one service.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createRequest } from "../../src/engine/http/message.ts";
import { type Clock, silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { libraryModel } from "../documents/library.ts";
import { freshSchema, type Schema } from "./server.ts";

const document = libraryModel({
  resources: `### Key

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| secret | credential | on create \`random(32)\`, shown once |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| status | state | |
| lapses_at | timestamp | nullable |
| lapsed_at | timestamp | nullable |
| times | integer | default \`0\` |`,
  states: `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lapse | open | lapsed | at lapses_at | \`lapsed_at = now; times = this.times + 1\` |`,
  authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Key by secret

### Scheme: token

- Placement: header X-Token
- Credentials: Key by id, from claim sub
- Signed with: HS256, secret env JWT_SECRET`,
  endpoints: `### POST /keys

- Does: create Key
- Allowed: anyone
- Returns: 201 \`{"id": this.id, "secret": this.secret, "token": token(this)}\`

### DELETE /keys/{id}

- Does: delete Key
- Allowed: anyone
- Returns: 204 nothing

### GET /me

- Does: answer
- Returns: 200 \`{"id": caller.id}\`

### POST /limited

- Does: create Note
- Allowed: anyone
- Body: text
- Returns: 201 Note

### GET /limited

- Does: list Note
- Allowed: anyone
- Pagination: none
- Returns: 200 list of Note

### GET /notes

- Does: list Note
- Allowed: anyone
- Pagination: none
- Returns: 200 list of Note

### POST /notes

- Does: create Note
- Allowed: anyone
- Body: text?, lapses_at?
- Idempotency: header Idempotency-Key, 24 hours
- Returns: 201 Note

### POST /slow

- Does: handler slow
- Allowed: anyone
- Idempotency: header Idempotency-Key, 24 hours
- Returns: 200 nothing

### GET /held

- Does: answer
- Allowed: anyone
- Waits: until \`Note.exists(n, n.text == "go")\`, at most \`duration("20s")\`
- Returns: 200 \`{"now": now}\``,
  events: `- Webhooks: none
- Notifications: none

| Event | When | Payload |
|---|---|---|
| note.lapsed | Note lapse | \`{"id": this.id}\` |`,
  errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| busy | 409 | idempotency in progress |
| conflict | 422 | idempotency conflict |`,
  limits: `| Limit | Bound | Applies to |
|---|---|---|
| rate all | 100 per minute | service, POST /limited, GET /limited |
| concurrency | 3 | GET /held |

- Rate headers: RateLimit
- Size limits: none
- Time-outs: none
- Pagination bounds: none`,
});

/** A clock with an offset. */
function clockOff(ms: number): Clock {
  return {
    now: () => systemClock.now() + ms,
    at: (timeMs, callback) => systemClock.at(timeMs - ms, callback),
  };
}

interface Instance {
  readonly service: Service;
  readonly store: Store;
}

async function start(model: Model, path: string, offMs = 0): Promise<Instance> {
  const store = await openStore(model, meaningOf(model), { path });
  const service = await createService(model, {
    store,
    ports: {
      clock: clockOff(offMs),
      log: silentLog,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    },
    origin: () => "http://service.example",
    handlers: { handlers: { slow: async () => void (await released) } },
  });
  return { service, store };
}

const end = async ({ service, store }: Instance) => {
  await service.close();
  await store.close();
};

let release = () => {};
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let schema: Schema;
let both: readonly [Instance, Instance];

before(async () => {
  schema = await freshSchema();
  // Both start at once on an empty schema: one creates the tables and keys, the other finds them.
  both = await Promise.all([start(document, schema.url, -5000), start(document, schema.url, 5000)]);
});

after(async () => {
  release();
  await Promise.all(both.map(end));
  await schema.drop();
});

async function send(at: number, method: string, target: string, options: Options = {}) {
  const headers: [string, string][] = [["Content-Type", "application/json"]];
  if (options.secret !== undefined) headers.push(["Authorization", `Bearer ${options.secret}`]);
  if (options.token !== undefined) headers.push(["X-Token", options.token]);
  if (options.key !== undefined) headers.push(["Idempotency-Key", options.key]);
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  const answer = await (both[at % 2] as Instance).service.fetch(
    createRequest({ method, target, headers, ...body }),
  );
  const text = String(answer.body);
  return {
    status: answer.status,
    body: text === "" ? null : JSON.parse(text),
    header: (name: string) => answer.headers.find(([key]) => key === name)?.[1],
  };
}

interface Options {
  readonly body?: unknown;
  readonly secret?: string;
  readonly token?: string;
  readonly key?: string;
}

test("two instances at a rate of 100 a minute give 100 in all, changes and reads together", async () => {
  const answers = await Promise.all(
    Array.from({ length: 150 }, (_, at) =>
      at % 3 === 0 ? send(at, "GET", "/limited") : send(at, "POST", "/limited", { body: { text: "a" } }),
    ),
  );
  const taken = answers.filter(({ status }) => status < 300);
  assert.equal(taken.length, 100);
  assert.ok(answers.every(({ status }) => status < 300 || status === 429));
  const left = taken.map(({ header }) => Number(/r=(\d+)/.exec(header("RateLimit") ?? "")?.[1]));
  assert.deepEqual(
    left.toSorted((a, b) => a - b),
    Array.from({ length: 100 }, (_, at) => at),
  );
  for (const { header } of answers.filter(({ status }) => status === 429)) {
    const wait = Number(header("Retry-After"));
    assert.ok(wait > 0 && wait <= 60, String(wait));
  }
});

test("both instances accept each other's signatures: keys are created once at the first start", async () => {
  const { body: made } = await send(0, "POST", "/keys", { body: {} });
  for (const who of [{ secret: made.secret }, { token: made.token }]) {
    assert.equal((await send(0, "GET", "/me", who)).status, 200);
    assert.deepEqual((await send(1, "GET", "/me", who)).body, { id: made.id });
  }
});

test("a credential that one instance revokes is rejected by the other at once", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { body: made } = await send(round, "POST", "/keys", { body: {} });
    assert.equal((await send(round + 1, "GET", "/me", { secret: made.secret })).status, 200);
    assert.equal((await send(round, "DELETE", `/keys/${made.id}`)).status, 204);
    for (const who of [{ secret: made.secret }, { token: made.token }])
      assert.equal((await send(round + 1, "GET", "/me", who)).status, 401);
  }
});

test("both instances use the database's time, whatever their machines' clocks", async () => {
  const client = await schema.connect();
  const { rows } = await client.query("SELECT clock_timestamp() AS now");
  const shared = both.map(({ store }) => store.shared?.now() ?? 0);
  const database = rows[0].now.getTime();
  // The readings of this test are at most 2.5 seconds apart; an uncorrected clock would differ by
  // five.
  for (const now of shared) assert.ok(Math.abs(now - database) < 2500, `${now - database}`);
});

test("due work of one instance runs once, not early, and on any instance", async () => {
  const due = Date.now() + 1500;
  const bodies = Array.from({ length: 20 }, () => ({ lapses_at: new Date(due).toISOString() }));
  await Promise.all(bodies.map((body, at) => send(at, "POST", "/notes", { body })));
  for (;;) {
    const { rows } = await (await schema.connect()).query(
      `SELECT lapsed_at, times FROM "Note" WHERE lapses_at IS NOT NULL`,
    );
    if (rows.every(({ lapsed_at }) => lapsed_at !== null)) {
      assert.deepEqual([rows.length, new Set(rows.map(({ times }) => Number(times)))], [20, new Set([1])]);
      break;
    }
    await pause(200);
  }
  assert.ok(Date.now() >= due);
  const events = await both[0].store.session.system.events();
  const lapsed = events.filter(({ type }) => type === "note.lapsed").map(({ subject }) => subject);
  assert.deepEqual([lapsed.length, new Set(lapsed).size], [20, 20]);
});

test("an idempotency key in progress on one instance is rejected by the other, and later gets the stored response", async () => {
  // The first instance holds it until it is released.
  const both = [0, 1].map((at) =>
    send(at, "POST", "/slow", { key: "one" }).then((reported) => ({ at, ...reported })),
  );
  const refused = await Promise.race(both);
  assert.equal(refused.status, 409);
  const requestOther = () => send(refused.at, "POST", "/slow", { key: "one", body: { other: 1 } });
  assert.equal((await requestOther()).status, 409);
  release();
  const statuses = (await Promise.all(both)).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, 409]);
  assert.equal((await requestOther()).status, 422);
  const again = await send(refused.at, "POST", "/slow", { key: "one" });
  assert.deepEqual([again.status, again.header("Idempotent-Replayed")], [200, "true"]);
});

test("two instances create one record under one key", async () => {
  for (let round = 0; round < 10; round += 1) {
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        send(at, "POST", "/notes", { key: `k${round}`, body: { text: "same" } }),
      ),
    );
    const ids = new Set(made.filter(({ status }) => status === 201).map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    assert.ok(made.every(({ status }) => status === 201 || status === 409));
  }
});

test("the limit of three concurrent requests applies to both instances together", async () => {
  const answers = Array.from({ length: 10 }, (_, at) => send(at, "GET", "/held"));
  const refused = [];
  for (const answer of answers)
    void answer.then((reported) => reported.status === 429 && refused.push(reported));
  while (refused.length < 7) await pause(20);
  await send(0, "POST", "/notes", { body: { text: "go" } });
  const reported = await Promise.all(answers);
  assert.equal(reported.filter(({ status }) => status === 200).length, 3);
  assert.equal((await send(1, "GET", "/held")).status, 200);
});
