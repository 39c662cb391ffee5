/**
 * Callers are records, and time changes them: a credential expires after ten minutes, an account is
 * locked, another one moves to another version. No wake-up runs due work here: only requests,
 * streams and held responses do.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createMovableClock } from "../../src/engine/ports.ts";
import { streamLimits } from "../../src/engine/streams/stream-limits.ts";
import { libraryModel } from "../documents/library.ts";
import { at, minute, openTimed, start, type Timed, type TimedOptions } from "./serve-timed.ts";

const accounts = (versioning: string, endpoints = "") =>
  libraryModel({
    resources: `### Account

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| email | email | required, unique |
| password | password | required, write-only |
| status | state | |
| version | string | default \`"v1"\` |

### Key

- Identifier: id, made by \`sequence()\`
- Kept: 10 minutes after since

| Field | Type | Rules |
|---|---|---|
| secret | credential | required, write-only |
| account | Account | required, on delete cascade |
| since | timestamp | nullable |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| status | state | |
| fades_at | timestamp | nullable |`,
    states: `### Account

- State field: status
- Initial state: active

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lock | active | locked | after 20 minutes | \`version = "v2"\` |

### Note

- State field: status
- Initial state: fresh

| Transition | From | To | Trigger |
|---|---|---|---|
| fade | fresh | faded | at fades_at |`,
    endpoints: `### POST /accounts

- Does: create Account
- Allowed: anyone
- Body: email, password
- Returns: 201 Account

### POST /keys

- Does: create Key
- Allowed: anyone
- Body: secret, account, since?
- Returns: 201 Key

### POST /sessions

- Does: sign in Account
- Allowed: anyone
- Body: email, password
- Where: \`this.status == "active"\`
- Returns: 200 Account

### GET /me

- Does: answer
- Returns: 200 \`{"email": caller.email, "status": caller.status}\`

### GET /version

- Does: answer
- Allowed: anyone
- Returns: 200 \`{"version": request.version}\`

### POST /notes

- Does: create Note
- Body: text, fades_at?
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Waits: until \`this.status == "faded"\`, at most \`duration("600s")\`
- Returns: 200 Note

### GET /live

- Does: stream
- Sends: note.faded
- Starts: now${endpoints}`,
    authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Key by secret, for account`,
    events: `- Webhooks: none
- Notifications: none

| Event | When | Payload |
|---|---|---|
| note.faded | Note fade | \`Note(this)\` |`,
    errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| bad_key | 401 | bad credential |
| no_key | 401 | unauthenticated |
| no | 401 | sign-in failed |
| slow_down | 429 | rate limited |`,
    limits: `- Size limits: none
- Time-outs: none
- Pagination bounds: none

| Limit | Bound | Applies to |
|---|---|---|
| rate | 3 per hour | caller, GET /me |
| rate sign-in | 1000 per hour | address, POST /accounts, POST /sessions |`,
    versioning,
  });

const pinned = `- Scheme: header X-Version
- Default: pinned per \`caller.version\`
- Compatibility: none

| Version | Status | Until | Changes |
|---|---|---|---|
| v2 | current | | |
| v1 | supported | | |`;

const unversioned = "- Scheme: none\n- Compatibility: none";
const model = accounts(unversioned);

async function serve(t: TestContext, options: TimedOptions = {}): Promise<Timed> {
  const timed = await openTimed({ model, isAsleep: true, ...options });
  t.after(() => timed.close());
  const reported = [
    await timed.send("POST", "/accounts", { body: { email: "ada@example.com", password: "correct horse" } }),
    await timed.send("POST", "/keys", { body: { secret: "for ten minutes", account: 1, since: at(0) } }),
    await timed.send("POST", "/keys", { body: { secret: "for ever", account: 1 } }),
  ];
  assert.deepEqual(
    reported.map((report) => report.status),
    [201, 201, 201],
  );
  return timed;
}

test("an expired credential is rejected, for reads and changes, before any limit of its caller is charged", async (t) => {
  const timed = await serve(t);
  const key = "for ten minutes";
  assert.deepEqual((await timed.send("GET", "/me", { key })).body, {
    email: "ada@example.com",
    status: "active",
  });
  timed.clock.moveBy(10 * minute);
  assert.equal((await timed.send("POST", "/notes", { key, body: { text: "late" } })).status, 401);
  for (let time = 0; time < 3; time += 1) assert.equal((await timed.send("GET", "/me", { key })).status, 401);
  // Refused credentials are charged to the limit of requests without a caller.
  assert.equal((await timed.send("GET", "/me", { key })).status, 429);
  // The account's limit is three requests, and one was used before.
  const rest = [];
  for (let time = 0; time < 3; time += 1)
    rest.push((await timed.send("GET", "/me", { key: "for ever" })).status);
  assert.deepEqual(rest, [200, 200, 429]);
});

test("the caller's record is up to date", async (t) => {
  const timed = await serve(t);
  timed.clock.moveBy(20 * minute);
  assert.equal((await timed.send("GET", "/me", { key: "for ever" })).body.status, "locked");
});

test("an account that was locked by a timer can't sign in", async (t) => {
  const timed = await serve(t);
  const body = { email: "ada@example.com", password: "correct horse" };
  assert.equal((await timed.send("POST", "/sessions", { body })).status, 200);
  timed.clock.moveBy(20 * minute);
  assert.equal((await timed.send("POST", "/sessions", { body })).status, 401);
});

test("a timed transition changes the caller's version", async (t) => {
  const timed = await serve(t, { model: accounts(pinned) });
  const version = async (key: string) => await timed.send("GET", "/version", { key });
  assert.equal((await version("for ever")).body.version, "v1");
  timed.clock.moveBy(20 * minute);
  assert.equal((await version("for ever")).body.version, "v2");
  assert.equal((await version("for ten minutes")).status, 401);
});

test("a held response sees work that becomes due while it is held, whatever wakes it", async (t) => {
  const timed = await serve(t, { isAsleep: false });
  const { waits } = timed.service.internals.shared;
  const { send, clock } = timed;
  await send("POST", "/notes", { key: "for ever", body: { text: "soon", fades_at: at(5) } });
  const held = new Promise<void>((resolve) => waits.onHeld(resolve));
  const answer = send("GET", "/notes/1", { key: "for ever" });
  await held;
  clock.moveBy(5 * minute);
  assert.equal((await answer).body.status, "faded");
});

test("a held response is rejected when its caller's credential expires", async (t) => {
  const timed = await serve(t, { isAsleep: false });
  const { waits } = timed.service.internals.shared;
  await timed.send("POST", "/notes", { key: "for ever", body: { text: "late", fades_at: at(11) } });
  const key = "for ten minutes";
  timed.clock.moveBy(9 * minute);
  const held = new Promise<void>((resolve) => waits.onHeld(resolve));
  const answer = timed.send("GET", "/notes/1", { key });
  await held;
  timed.clock.moveBy(2 * minute);
  assert.equal((await answer).status, 401);
});

test("a stream ends when its reader's credential expires, without another request", async (t) => {
  const machine = createMovableClock(start);
  const timed = await serve(t, { machine });
  const { stream, status } = await timed.send("GET", "/live", { key: "for ten minutes" });
  assert.equal(status, 200);
  assert.ok(stream);
  const pieces = stream[Symbol.asyncIterator]();
  assert.ok(!(await pieces.next()).done);
  machine.moveBy(streamLimits.heartbeatMs);
  assert.match(String((await pieces.next()).value), /^: ping/);
  timed.clock.moveBy(10 * minute);
  machine.moveBy(streamLimits.heartbeatMs);
  assert.ok((await pieces.next()).done);
});

test("a timed transition may replace a credential: the new one works, and the old one doesn't", async (t) => {
  const timed = await openTimed({
    isAsleep: true,
    model: libraryModel({
      resources: `### Key

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| secret | credential | required, write-only |
| next | string | required, write-only |
| status | state | |`,
      states: `### Key

- State field: status
- Initial state: first

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| turn | first | second | after 10 minutes | \`secret = this.next\` |`,
      endpoints: `### POST /keys

- Does: create Key
- Allowed: anyone
- Body: secret, next
- Returns: 201 Key

### GET /me

- Does: answer
- Returns: 200 \`{"id": caller.id}\``,
      authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Key by secret`,
      events: "- Webhooks: none\n- Notifications: none",
    }),
  });
  t.after(() => timed.close());
  await timed.send("POST", "/keys", { body: { secret: "old", next: "new" } });
  const statuses = async () =>
    Promise.all(["old", "new"].map(async (key) => (await timed.send("GET", "/me", { key })).status));
  assert.deepEqual(await statuses(), [200, 401]);
  timed.clock.moveBy(10 * minute);
  assert.equal((await timed.send("GET", "/me", { key: "new" })).status, 200);
  assert.deepEqual(await statuses(), [401, 200]);
});
