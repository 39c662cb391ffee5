/** Migration plan of a store: the disk space it requires. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { documentOf, modelOf, open, resource } from "../../../../test/changes/desk.ts";
import { change } from "../../../../test/changes/support.ts";
import { migrateStore, planStoreFor } from "../../index.ts";
import { storePath } from "../../test-files.ts";

const notes = resource("Note", "text | string |");

test("a plan requires disk space for the store before and after the changes", async (t) => {
  const path = storePath(t);
  const store = await open(documentOf(notes), path);
  await store.write(async (transaction) => {
    for (let at = 0; at < 50; at += 1)
      await transaction.insert("Note", { id: `${at}`, text: "x".repeat(1_000) });
  });
  await store.close();
  const longer = Array.from({ length: 20 }, () => "old.text").join(" + ");
  const then = modelOf(documentOf(notes, change("longer", `For each Note: \`text = ${longer}\``)));
  const before = statSync(path).size;
  const { room } = await planStoreFor(then, path, { isRunning: () => false });
  assert.equal(statSync(path).size, before);
  await migrateStore(then, path);
  const copyAndLog = statSync(path).size + before;
  assert.ok(room.needed !== null && room.needed > copyAndLog, `${room.needed} of ${copyAndLog}`);
});
