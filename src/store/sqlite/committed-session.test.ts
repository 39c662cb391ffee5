/** Committed session: reads during an open group. */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { openTestStore, storePath } from "../test-files.ts";
import { field, model, resource } from "../test-model.ts";

const notes = model([resource("Note", [field("text", "string")])]);

test("the engine's own reads don't see an open group: in a file they run at once, in memory after the group", async (t) => {
  for (const path of [storePath(t), ":memory:"]) {
    const store = await openTestStore(t, notes, path);
    let reading: Promise<string | null> | undefined;
    await store.write(async (transaction) => {
      await transaction.system.setSetting("key", "new");
      reading = (async () => store.session.system.setting("key"))();
      await turn();
    });
    assert.equal(await reading, path === ":memory:" ? "new" : null, path);
    assert.equal(await store.session.system.setting("key"), "new");
  }
});
