/**
 * Removed channels: a new document drops its webhooks or its notifications. The sender gives up the
 * open deliveries of the old document and reports them, and no receiver stays in the store.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { MailFailed } from "../../src/engine/outbound/mailer.ts";
import { libraryText } from "../documents/library.ts";
import { openShop, played } from "./serve-shop.ts";

const document = (events: string) =>
  libraryText({
    authentication: "- Scheme: none",
    resources: `### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |`,
    states: "- States: none\n- Transitions: none",
    endpoints: `### POST /hooks

- Does: create Hook
- Body: url
- Returns: 201 Hook`,
    events: `${events}

| Event | When | Payload |
|---|---|---|
| hook.made | Hook created | \`{"id": this.id}\` |`,
  });

for (const [channel, had] of [
  ["webhook", "- Webhooks: to Hook.url\n- Signature: none\n- Notifications: none"],
  ["email", '- Webhooks: none\n- Notifications: email to `"ada@home.example"`, subject `event.type`'],
] as const)
  test(`open deliveries by ${channel} are given up with the reason if a document no longer has them`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "ninefold-lost-webhooks-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "store.db");
    const failing = {
      over: played(() => ({ status: 500 })),
      mailer: { send: () => Promise.reject(new MailFailed("no room", 452)), close: () => {} },
    };
    const before = await openShop({ text: document(had), path, ...failing });
    before.service.deliveries.start();
    assert.equal((await before.send("POST", "/hooks", { url: "https://one.test/in" })).status, 201);
    await before.pass(0);
    assert.deepEqual(
      (await before.service.deliveries.list()).map(({ state }) => state),
      ["open"],
    );
    await before.close();

    const after = await openShop({ text: document("- Webhooks: none\n- Notifications: none"), path });
    const { deliveries } = after.service;
    deliveries.start();
    await after.pass(3_600_000);
    assert.deepEqual(
      (await deliveries.list()).map(({ state, error }) => [state, error]),
      [["dead", `the document no longer has ${channel}`]],
    );
    assert.equal(await deliveries.isBehind(60_000), false);
    await after.close();
  });
