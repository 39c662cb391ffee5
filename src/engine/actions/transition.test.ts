/**
 * Consecutive transitions by call: each sees the record before it, and the changes made by then.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Job

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| note | string | |
| was | string | |
| marks | integer | \`= Mark.count(m, m.job == this)\` |
| seen | integer | |

### Mark

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| job | Job | |`;

const states = `### Job

- State field: state
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`take\` | open | taken | call | \`old.note != this.note\` | \`was = old.note + " " + old.state; create Mark with job = this\` |
| \`end\` | taken | ended | call | \`this.marks == 1\` | \`was = this.was + ", " + old.note + " " + old.state; seen = this.marks\` |`;

const endpoints = `### POST /jobs

- Does: create Job
- Body: note
- Returns: 201 Job

### POST /jobs/{id}/take

- Does: take Job
- Body: note
- Then: end when \`body.ends == true && this.marks == 1\`
- Returns: 200 \`{"note": this.note, "was": this.was, "seen": this.seen, "state": this.state}\`

| Input | In | Type |
|---|---|---|
| ends | body | boolean |

### POST /jobs/take-any

- Does: take Job, if any
- Where: \`this.state == "open"\`
- Set: \`note = "any"\`
- Then: end
- Returns: 204 nothing when \`this == null\`
- Returns: 200 \`{"note": this.note, "was": this.was, "seen": this.seen, "state": this.state}\``;

const errors = `- Payload shape: problem details

| Code | Status | When | Meaning |
|---|---|---|---|
| not_now | 409 | guard failed | |`;

test("a transition and its follow-up see the old record and the changes made by then", async (t) => {
  const served = await serveDocument(smallDocument({ resources, states, endpoints, errors }));
  t.after(() => served.close());
  const request = async (path: string, body: unknown = {}) => {
    const { status, body: reported } = await served.send("POST", path, { body });
    return status === 200 ? JSON.parse(reported) : status;
  };
  for (const note of ["a", "b", "c"]) await request("/jobs", { note });
  assert.equal(await request("/jobs/1/take", { note: "a" }), 409);
  assert.deepEqual(await request("/jobs/1/take", { note: "x" }), {
    note: "x",
    was: "a open",
    seen: null,
    state: "taken",
  });
  assert.deepEqual(await request("/jobs/2/take", { note: "y", ends: true }), {
    note: "y",
    was: "b open, y taken",
    seen: 1,
    state: "ended",
  });
  assert.deepEqual(await request("/jobs/take-any"), {
    note: "any",
    was: "c open, any taken",
    seen: 1,
    state: "ended",
  });
  assert.equal(await request("/jobs/take-any"), 204);
});
