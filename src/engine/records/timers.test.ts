/** Timers of a record: what time changes, and how changes of the record affect it. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Job

- Identifier: id, made by \`sequence()\`
- Kept: 7 days after done_at

| Field | Type | Rules |
|---|---|---|
| due_at | timestamp | nullable |
| done_at | timestamp | nullable |
| kept | boolean | default false |
| note | string | |

### Entry

- Identifier: id, made by \`sequence()\`
- Deleted: marked
- Kept: 1 day after made_at

| Field | Type | Rules |
|---|---|---|
| made_at | timestamp | on create \`now\` |
| changed_at | timestamp | on update \`now\` |
| note | string | |

### Alarm

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| rings_at | timestamp | nullable |
| rung | integer | default 0 |
| rung_at | timestamp | |
| note | string | |`;

const states = `### Job

- State field: state
- Initial state: open

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| \`hold\` | open | held | call | |
| \`release\` | held, late | open | call | |
| \`lapse\` | open | late | after 2 days | \`!this.kept\` |
| \`end\` | open, held | gone | at due_at | |

### Alarm

- State field: state
- Initial state: on

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| \`ring\` | on, quiet | same | at rings_at | \`rung = this.rung + 1; rung_at = now\` |
| \`hush\` | on | quiet | call | |
| \`stop\` | on, quiet | off | call | |
| \`start\` | off | on | call | |`;

const endpoints = `### POST /jobs

- Does: create Job
- Body: due_at?, done_at?, kept?
- Returns: 201 Job

### GET /jobs

- Does: list Job
- Returns: 200 list of Job

### PATCH /jobs/{id}

- Does: update Job
- Body: due_at?, done_at?, kept?, note?
- Returns: 200 Job

### DELETE /jobs/{id}

- Does: delete Job
- Returns: 204 nothing

### POST /jobs/{id}/hold

- Does: hold Job
- Returns: 200 Job

### POST /jobs/{id}/release

- Does: release Job
- Returns: 200 Job

### POST /entries

- Does: create Entry
- Returns: 201 Entry

### PATCH /entries/{id}

- Does: update Entry
- Body: note
- Returns: 200 Entry

### GET /entries

- Does: list Entry
- Returns: 200 list of Entry

### DELETE /entries/{id}

- Does: delete Entry
- Returns: 204 nothing

### PUT /entries/{id}/note

- Does: update Entry
- Finds: deleted records too
- Body: note
- Set: \`made_at = now\`
- Returns: 200 Entry

### POST /alarms

- Does: create Alarm
- Body: rings_at
- Returns: 201 Alarm

### PATCH /alarms/{id}

- Does: update Alarm
- Body: rings_at?, note?
- Returns: 200 Alarm
${["hush", "stop", "start"].map((name) => `\n### POST /alarms/{id}/${name}\n\n- Does: ${name} Alarm\n- Returns: 200 Alarm\n`).join("")}
### GET /alarms/{id}

- Does: read Alarm
- Returns: 200 Alarm`;

const day = 86_400_000;

async function jobs(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, states, endpoints }));
  t.after(() => served.close());
  const send = async (method: string, path: string, body?: unknown) => {
    const { status } = await served.send(method, path, body === undefined ? {} : { body });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
  };
  /** Returns the states of all existing jobs, some days later. */
  const after = async (days: number): Promise<string> => {
    await served.target.wait?.(days * day);
    const { json } = await served.send("GET", "/jobs");
    return json.map((item: { state: string }) => item.state).join(" ");
  };
  return { served, send, after };
}

/** The time this number of days after the first. */
const on = (days: number) => new Date(Date.parse("2026-11-20T12:00:00Z") + days * day).toISOString();

test("a record that leaves a state in time disarms its timer, and entering it again starts a new one", async (t) => {
  const { send, after } = await jobs(t);
  await send("POST", "/jobs", {});
  assert.equal(await after(1), "open");
  await send("POST", "/jobs/1/hold");
  assert.equal(await after(3), "held");
  await send("POST", "/jobs/1/release");
  assert.equal(await after(1), "open");
  // A change of another field keeps the due time.
  await send("PATCH", "/jobs/1", { note: "a word" });
  assert.equal(await after(1), "late");
});

test("a guard that was false is evaluated again with each change, once its time has come", async (t) => {
  const { send, after } = await jobs(t);
  await send("POST", "/jobs", { kept: true });
  assert.equal(await after(1), "open");
  await send("PATCH", "/jobs/1", { kept: false });
  await send("PATCH", "/jobs/1", { kept: true });
  assert.equal(await after(2), "open");
  await send("PATCH", "/jobs/1", { note: "kept all the same" });
  assert.equal(await after(0), "open");
  await send("PATCH", "/jobs/1", { kept: false });
  assert.equal(await after(0), "late");
});

test("a time in a field applies in any From state, may be postponed, and fires at once on a later entry", async (t) => {
  const { send, after } = await jobs(t);
  for (const kept of [true, true, false]) await send("POST", "/jobs", { kept, due_at: on(3) });
  await send("POST", "/jobs", { kept: true });
  await send("POST", "/jobs/1/hold");
  await send("PATCH", "/jobs/2", { due_at: on(5) });
  assert.equal(await after(2.5), "held open late open");
  await send("PATCH", "/jobs/4", { due_at: on(2) });
  assert.equal(await after(0), "held open late gone");
  assert.equal(await after(1), "gone open late gone");
  await send("PATCH", "/jobs/3", { kept: true });
  await send("POST", "/jobs/3/release");
  assert.equal(await after(0), "gone open gone gone");
  await send("PATCH", "/jobs/2", { due_at: null });
  assert.equal(await after(9), "gone open gone gone");
  await send("PATCH", "/jobs/2", { due_at: on(13) });
  await send("DELETE", "/jobs/2");
  assert.equal(await after(9), "gone gone gone");
});

test("a record is deleted the stated duration after its field's time, even if that changes often", async (t) => {
  const { send, after } = await jobs(t);
  for (const done_at of [on(0), on(0), on(0), null]) await send("POST", "/jobs", { done_at, kept: true });
  await send("PATCH", "/jobs/2", { done_at: on(2) });
  await send("PATCH", "/jobs/3", { done_at: null });
  assert.equal(await after(6), "open open open open");
  await send("PATCH", "/jobs/1", { note: "a last word" });
  assert.equal(await after(1), "open open open");
  await send("PATCH", "/jobs/4", { done_at: on(0) });
  assert.equal(await after(0), "open open");
  assert.equal(await after(2), "open");
});

test("a record without states is deleted at its time, too", async (t) => {
  const { served, send } = await jobs(t);
  await send("POST", "/entries");
  await served.target.wait?.(day / 2);
  await send("PATCH", "/entries/1", { note: "still here" });
  assert.equal((await served.send("GET", "/entries")).json.length, 1);
  await served.target.wait?.(day / 2);
  assert.deepEqual((await served.send("GET", "/entries")).json, []);
});

test("a time fires once, until another time is set or its states are entered again", async (t) => {
  const { served, send } = await jobs(t);
  const alarm = async () => (await served.send("GET", "/alarms/1")).json;
  const rung = async () => (await alarm()).rung;
  await send("POST", "/alarms", { rings_at: on(1) });
  await served.target.wait?.(day);
  assert.equal(await rung(), 1);
  await send("PATCH", "/alarms/1", { note: "heard" });
  await send("POST", "/alarms/1/hush");
  await served.target.wait?.(day);
  assert.equal(await rung(), 1);
  await send("PATCH", "/alarms/1", { rings_at: on(2) });
  assert.equal(await rung(), 2);
  assert.equal((await alarm()).rung_at, on(2));
  await send("POST", "/alarms/1/stop");
  await served.target.wait?.(day);
  await send("POST", "/alarms/1/start");
  assert.equal(await rung(), 3);
  assert.equal((await alarm()).rung_at, on(3));
});

test("a soft-deleted record has no timers, even after changes", async (t) => {
  const { served, send } = await jobs(t);
  const due = async () =>
    (await served.target.service.internals.context.store.session.system.dueTimers(1e15, 100)).length;
  for (let at = 0; at < 2; at += 1) await send("POST", "/entries");
  assert.equal(await due(), 2);
  await send("DELETE", "/entries/1");
  assert.equal(await due(), 1);
  await served.target.wait?.(day / 2);
  await send("PUT", "/entries/1/note", { note: "changed all the same" });
  assert.equal(await due(), 1);
});
