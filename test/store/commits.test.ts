/** Commit listeners: a listener receives exactly the changes of each commit. */
import assert from "node:assert/strict";
import { field, model, resource } from "../../src/store/test-model.ts";
import { onEachStore } from "./each-store.ts";

const notes = model([resource("Note", [field("text", "string")])]);

onEachStore("listeners aren't notified of writes that only read or have failed", async (open) => {
  const store = await open(notes);
  const reported: string[] = [];
  store.onCommit(({ changed }) => reported.push([...changed.keys()].join(" ")));
  const writes = [
    store.write((transaction) => transaction.system.setting("none")),
    store.write(async (transaction) => transaction.system.dueTimers(5, 5)),
  ];
  await Promise.all(writes);
  const failing = store.write(async (transaction) => {
    await transaction.insert("Note", { id: "n", text: "x" });
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  assert.deepEqual(reported, []);
  await store.write(async (transaction) => transaction.insert("Note", { id: "n", text: "x" }));
  assert.deepEqual(reported, ["Note"]);
});
