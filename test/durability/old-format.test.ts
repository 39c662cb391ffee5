/**
 * A store that an older Ninefold made is opened by this one: its contents are unchanged, and later features work in
 * it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createMovableClock } from "../../src/engine/ports.ts";
import { openShop, played } from "../deliveries/serve-shop.ts";

const folderOf = import.meta.dirname;
const documentText = readFileSync(join(folderOf, "old-notes.md"), "utf8");
const day = 86_400_000;

/** A later version of the document, with webhooks. */
const withWebhooks = documentText
  .replace(
    "## States and transitions",
    "### Hook\n\n- Identifier: id, made by `sequence()`\n\n| Field | Type | Rules |\n|---|---|---|\n| url | uri | required |\n\n## States and transitions",
  )
  .replace("- Webhooks: none", "- Webhooks: to Hook.url");

/** The statements of each table and index, without line breaks. */
function schemaOf(path: string): Map<string, string> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE name LIKE 'ninefold%'").all();
    return new Map(
      rows.map((row) => [
        String(row["name"]),
        String(row["sql"])
          .replace(/\s+/g, " ")
          .replace(/ ?([(),]) ?/g, "$1"),
      ]),
    );
  } finally {
    database.close();
  }
}

test("a store of format 1, with records, events and timers, is migrated to the current format", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-format-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const old = new DatabaseSync(path);
  old.exec(readFileSync(join(folderOf, "format-1.sql"), "utf8"));
  old.close();
  const over = played(() => ({ status: 204 }));
  const clock = createMovableClock(Date.parse("2026-11-21T14:13:00.000Z"));
  const shop = await openShop({ text: withWebhooks, path, over, clock });
  await shop.given(`- Given: Hook with url = "https://one.test/in"\n`);
  shop.service.deliveries.start();
  const notes = [
    { id: 1, text: "one", status: "open" },
    { id: 2, text: "two", status: "open" },
  ];
  assert.deepEqual((await shop.send("GET", "/notes")).json, notes);
  const events = await shop.store.session.system.eventsAfter(0, 10);
  assert.deepEqual(
    events.map((event) => [event.sequence, event.type, JSON.parse(event.payload), event.record]),
    notes.map((note, at) => [at + 1, "note.created", note, null]),
  );
  // Sequences continue, and new events are sent.
  assert.equal((await shop.send("POST", "/notes", { text: "three" })).json.id, 3);
  await shop.pass(0);
  clock.moveBy(day);
  const closed = (await shop.send("GET", "/notes")).json;
  assert.deepEqual(
    closed.map((record: { status: string }) => record.status),
    ["closed", "closed", "closed"],
  );
  await shop.pass(0);
  const reported = over.sent
    .map(({ body }) => JSON.parse(String(body)))
    .map(({ id, status }) => `${id} ${status}`);
  assert.deepEqual(reported, ["3 open", "1 closed", "2 closed", "3 closed"]);
  // An old event is found by its identifier, which has no time in it.
  assert.equal(await shop.service.deliveries.redeliver({ eventId: String(events[0]?.id) }), 0);
  await shop.close();
  const made = join(folder, "new.db");
  const other = await openShop({ text: documentText, path: made });
  await other.close();
  const [upgraded, fresh] = [schemaOf(path), schemaOf(made)];
  assert.deepEqual(upgraded, fresh);
  const again = await openShop({ text: withWebhooks, path, over, clock });
  assert.equal((await again.send("GET", "/notes")).json.length, 3);
  await again.close();
});
