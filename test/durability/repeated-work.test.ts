/**
 * Repeated work: what a retried request repeats, and what it doesn't. A password is verified once
 * and never on the main thread, wherever the caller is first needed. The author's functions are
 * called once, even if due work runs meanwhile.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { libraryModel } from "../documents/library.ts";
import { at, minute, openTimed, type Timed, type TimedOptions } from "./serve-timed.ts";

const model = libraryModel({
  resources: `### Account

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| password | password | required, write-only |
| version | string | default \`"v1"\` |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| status | state | |
| fades_at | timestamp | nullable |`,
  states: `### Note

- State field: status
- Initial state: fresh

| Transition | From | To | Trigger |
|---|---|---|---|
| fade | fresh | faded | at fades_at |`,
  endpoints: `- Functions: reported(string): string

### POST /accounts

- Does: create Account
- Allowed: anyone
- Body: name, password
- Returns: 201 Account

### POST /notes

- Does: create Note
- Body: text, fades_at?
- Idempotency: header Idempotency-Key
- Returns: 201 Note

### POST /open-notes

- Does: create Note
- Allowed: anyone
- Body: text, fades_at?
- Returns: 201 Note

### GET /notes

- Does: list Note
- Pagination: none
- Returns: 200 \`{"version": request.version, "notes": page.items.map(n, reported(n.status))}\``,
  authentication: `### Scheme: password

- Placement: basic user and password
- Credentials: Account by name and password`,
  events: "- Events: none\n- Webhooks: none\n- Notifications: none",
  errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| no | 401 | unauthenticated, bad credential |`,
  limits: `- Size limits: none
- Time-outs: none
- Pagination bounds: none

| Limit | Bound | Applies to |
|---|---|---|
| rate | 1000 per hour | address |`,
  versioning: `- Scheme: header X-Version
- Default: pinned per \`caller.version\`
- Compatibility: none

| Version | Status | Until | Changes |
|---|---|---|---|
| v2 | current | | |
| v1 | supported | | |`,
});

const headers = { Authorization: `Basic ${Buffer.from("ada:correct horse").toString("base64")}` };

interface Served extends Timed {
  compared(): number;
  /** Runs work before the next password is verified. */
  before(work: () => Promise<unknown>): void;
}

async function serve(t: TestContext, functions: TimedOptions["functions"] = {}): Promise<Served> {
  const timed = await openTimed({ model, isAsleep: true, functions });
  t.after(() => timed.close());
  const { secrets } = timed.service.internals;
  const { verifyPasswordInWorker } = secrets;
  let compared = 0;
  let first: () => Promise<unknown> = () => Promise.resolve();
  Object.assign(secrets, {
    verifyPassword: (): boolean => assert.fail("on the thread that answers"),
    async verifyPasswordInWorker(...requested: Parameters<typeof verifyPasswordInWorker>) {
      compared += 1;
      await first();
      return verifyPasswordInWorker(...requested);
    },
  });
  const body = { name: "ada", password: "correct horse" };
  assert.equal((await timed.send("POST", "/accounts", { body })).status, 201);
  const before = (work: () => Promise<unknown>) => {
    first = work;
  };
  return { ...timed, compared: () => compared, before };
}

test("a password is verified once for a request, in a worker", async (t) => {
  const { send, compared } = await serve(t, { reported: (text: string) => text });
  assert.deepEqual((await send("GET", "/notes", { headers })).body, { version: "v1", notes: [] });
  assert.equal(compared(), 1);
  const keyed = { headers: { ...headers, "Idempotency-Key": "one" }, body: { text: "x" } };
  assert.equal((await send("POST", "/notes", keyed)).status, 201);
  assert.equal(compared(), 2);
  const wrong = { Authorization: `Basic ${Buffer.from("ada:wrong").toString("base64")}` };
  assert.equal((await send("GET", "/notes", { headers: wrong })).status, 401);
});

test("work that a concurrent commit makes due runs before the author's functions are called once", async (t) => {
  const reported: string[] = [];
  const note = (text: string) => {
    reported.push(text);
    return text;
  };
  const { send, clock, before } = await serve(t, { reported: note });
  clock.moveBy(minute);
  before(() => send("POST", "/open-notes", { body: { text: "late", fades_at: at(0) } }));
  const answer = await send("GET", "/notes", { headers: { ...headers, "X-Version": "v2" } });
  assert.deepEqual(answer.body, { version: "v2", notes: ["faded"] });
  assert.deepEqual(reported, ["faded"]);
});
