/**
 * Deliveries of timed transitions: their records exist before any request lists them, and receivers
 * get the version as of the due time.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { compile } from "../../../src/compile.ts";
import { createGivenRecords } from "../../../src/engine/given.ts";
import type { Model } from "../../../src/model/model.ts";
import { pathOf } from "../../repository/repository.ts";
import { libraryModel } from "../../documents/library.ts";
import { request, minuteMs, openAsleep } from "./walk.ts";

async function opened(t: TestContext, model: Model) {
  const running = await openAsleep(model);
  t.after(() => running.close());
  return running;
}

test("the record of a delivery exists when its event is due, before deliveries are listed", async (t) => {
  const model = libraryModel({
    authentication: "- Scheme: none",
    resources: `### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |

### Delivery

- Identifier: number, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| hook | Hook | on create \`hook\`, on delete cascade |
| type | string | on create \`event.type\` |`,
    states: `### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| lapse | open | lapsed | after 10 minutes |`,
    endpoints: `### POST /tickets

- Does: create Ticket
- Returns: 201 Ticket

### POST /hooks

- Does: create Hook
- Body: url
- Returns: 201 Hook

### GET /deliveries

- Does: list Delivery
- Returns: 200 list of Delivery`,
    events: `- Webhooks: to Hook.url when \`hook.id > 0\`
- Signature: none
- Retries: none
- Deliveries: kept 3 days
- Notifications: none

| Event | When | Payload |
|---|---|---|
| ticket.lapsed | Ticket lapse | Ticket |`,
  });
  const { service, clock } = await opened(t, model);
  await request(service, { method: "POST", target: "/hooks", body: { url: "https://hooks.example/" } });
  await request(service, { method: "POST", target: "/tickets", body: {} });
  clock.moveBy(11 * minuteMs);
  const { reported } = await request(service, { method: "GET", target: "/deliveries" });
  assert.deepEqual(reported, [{ number: 1, hook: 1, type: "ticket.lapsed" }]);
});

test("a receiver that time has moved to another version gets that version, whichever request runs the later event", async (t) => {
  const text = readFileSync(pathOf("test/versions/pinned-webhooks.md"), "utf8")
    .replace(
      'version = "2026-05-01"`',
      'version = "2026-05-01", moves_at = timestamp("2026-11-20T12:10:00Z")`',
    )
    .replace(
      /(?:- Given: `Hook with .*\n)+/,
      `- Given: \`Hook with account = "1d0a4e57-63c5-4d3a-9f58-2f4f4b5c0001", url = "https://old.test/"\`
- Given: \`Note with text = "Hello", fades_at = timestamp("2026-11-20T12:20:00Z")\`
`,
    )
    .replace(
      "| version | string | |",
      "| version | string | |\n| stage | state | |\n| moves_at | timestamp | |",
    )
    .replace(
      "| text | string | required |",
      "| text | string | required |\n| stage | state | |\n| fades_at | timestamp | |",
    )
    .replace(
      "- States: none\n- Transitions: none",
      `### Account

- State field: stage
- Initial state: early

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| move | early | late | at moves_at | \`version = "2026-11-01"\` |

### Note

- State field: stage
- Initial state: fresh

| Transition | From | To | Trigger |
|---|---|---|---|
| fade | fresh | faded | at fades_at |`,
    )
    .replace("Note created, Note updated", "Note fade");
  const { model, diagnostics } = compile(text, { file: "pinned.md" });
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.severity === "error"),
    [],
  );
  assert.ok(model);
  const { service, clock } = await opened(t, model);
  const given = model.scenarios.flatMap(({ steps }) => steps).filter((step) => step.kind === "given");
  await createGivenRecords(service, given);
  clock.moveBy(30 * minuteMs);
  const { reported } = await request(service, { method: "GET", target: "/deliveries", key: "new" });
  const note = (words: object) => ({
    note: { id: 1, ...words, stage: "faded", fades_at: "2026-11-20T12:20:00.000Z" },
    before: { stage: "fresh" },
  });
  assert.deepEqual(reported, [{ id: 1, url: "https://old.test/", sent: note({ text: "Hello" }) }]);
});
