/** A document that has no webhooks any more: what its former one was still to send is given up and told, and nobody is behind for ever. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
- Notifications: none

| Event | When | Payload |
|---|---|---|
| hook.made | Hook created | \`{"id": this.id}\` |`,
  });

test("deliveries of webhooks that a document has lost are given up, with why", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-lost-webhooks-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const text = document("- Webhooks: to Hook.url\n- Signature: none");
  const before = await openShop({ text, path, over: played(() => ({ status: 500 })) });
  before.service.deliveries.start();
  const url = "https://one.test/in";
  assert.equal((await before.send("POST", "/hooks", { url })).status, 201);
  await before.pass(0);
  assert.deepEqual(
    (await before.service.deliveries.list()).map(({ state }) => state),
    ["open"],
  );
  await before.close();

  const after = await openShop({ text: document("- Webhooks: none"), path });
  const { deliveries } = after.service;
  deliveries.start();
  await after.pass(3_600_000);
  assert.deepEqual(
    (await deliveries.list()).map(({ state, error }) => [state, error]),
    [["dead", "the document has no webhook any more"]],
  );
  assert.equal(await deliveries.isBehind(60_000), false);
  await after.close();
});
