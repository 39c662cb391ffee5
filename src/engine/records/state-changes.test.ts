/** State changes: what a counter of records by state receives for each request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Job

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| note | string | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |

### Ticket

- Identifier: id, made by \`sequence()\`
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| text | string | |`;

const states = `### Job

- State field: state
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| \`touch\` | open | same | call | \`note = "touched"\` |
| \`drop\` | open | gone | call | \`delete Job where this == job\` |
| \`end\` | open | gone | call | |

### Note

| Transition | Trigger | Effect |
|---|---|---|
| \`mark\` | call | \`text = "marked"\` |

### Ticket

- State field: state
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| \`close\` | open | closed | call |`;

const endpoints = `### POST /jobs

- Does: create Job
- Returns: 201 Job

### PATCH /jobs/{id}

- Does: update Job
- Body: note
- Returns: 200 Job

### DELETE /jobs/{id}

- Does: delete Job
- Returns: 204 nothing
${["touch", "drop", "end"].map((name) => `\n### POST /jobs/{id}/${name}\n\n- Does: ${name} Job\n- Returns: 204 nothing\n`).join("")}
### POST /notes

- Does: create Note
- Returns: 201 Note

### POST /notes/{id}/mark

- Does: mark Note
- Returns: 204 nothing

### POST /tickets

- Does: create Ticket
- Returns: 201 Ticket

### POST /tickets/{id}/close

- Does: close Ticket
- Returns: 204 nothing

### DELETE /tickets/{id}

- Does: delete Ticket
- Returns: 204 nothing`;

test("each request reports the records that changed state, and the transitions that fired", async (t) => {
  const served = await serveDocument(smallDocument({ resources, states, endpoints }));
  t.after(() => served.close());
  const reported: string[] = [];
  const { stateChanges } = served.target.service.internals.context;
  const leave = stateChanges.listen(({ changes, transitions }) => {
    for (const { resource, from, to } of changes) reported.push(`${resource}: ${from} to ${to}`);
    for (const { resource, transition, from, to } of transitions)
      reported.push(`${resource} ${transition}: ${from} to ${to}`);
  });
  assert.equal(stateChanges.hasListeners, true);
  const reports = async (method: string, path: string, body: unknown = {}) => {
    reported.length = 0;
    const { status } = await served.send(method, path, { body });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
    return reported.join(", ");
  };
  assert.equal(await reports("POST", "/jobs"), "Job: null to open");
  assert.equal(await reports("PATCH", "/jobs/1", { note: "n" }), "");
  assert.equal(await reports("POST", "/jobs/1/touch"), "Job touch: open to open");
  assert.equal(await reports("POST", "/jobs/1/end"), "Job: open to gone, Job end: open to gone");
  assert.equal(await reports("DELETE", "/jobs/1"), "Job: gone to null");
  await reports("POST", "/jobs");
  assert.equal(await reports("POST", "/jobs/2/drop"), "Job: open to null, Job drop: open to null");
  assert.equal(await reports("POST", "/notes"), "");
  assert.equal(await reports("POST", "/notes/1/mark"), "Note mark: null to null");
  assert.equal(await reports("POST", "/tickets"), "Ticket: null to open");
  // A soft-deleted record is still in the store.
  assert.equal(await reports("DELETE", "/tickets/1"), "Ticket: open to null");
  leave();
  assert.equal(stateChanges.hasListeners, false);
  assert.equal(await reports("POST", "/jobs"), "");
});
