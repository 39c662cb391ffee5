/**
 * Removed resources: the engine's own rows about them are deleted, so a later resource of the same
 * name starts fresh.
 */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import { change, newPath, rowsOf, testOnEach } from "./support.ts";

const other = resource("Other", "name | string |");
const withDraft = documentOf(resource("Draft", "text | string |") + other);

/** The number of rows about drafts in the engine's own tables. */
async function kept(path: string): Promise<readonly unknown[]> {
  const [counts] = await rowsOf(
    path,
    `SELECT (SELECT count(*) FROM ninefold_timers WHERE resource = 'Draft'),
      (SELECT count(*) FROM ninefold_settings WHERE name LIKE '%Draft%')`,
  );
  return counts ?? [];
}

async function storeWithDraft(): Promise<string> {
  const path = await newPath();
  const store = await open(withDraft, path);
  await store.write(async (transaction) => {
    const draft = await transaction.insert("Draft", { id: "d", text: "x" });
    await transaction.insert("Other", { id: "o", name: "x" });
    await transaction.system.setTimer(
      { resource: "Draft", row: Number(draft["#row"]), transition: "expire", end: 0 },
      1000,
    );
    await transaction.system.setSetting("timers Draft", "{}");
    await transaction.system.setSetting("record Draft first", "d");
    await transaction.system.setSetting("timers Other", "{}");
  });
  await store.close();
  assert.deepEqual(await kept(path), [1, 2]);
  return path;
}

testOnEach("by a stored change", async () => {
  const path = await storeWithDraft();
  await (await open(documentOf(other, change("no-drafts", "Removed: Draft")), path)).close();
  assert.deepEqual(await kept(path), [0, 0]);
  assert.deepEqual(await rowsOf(path, "SELECT value FROM ninefold_settings WHERE name = 'timers Other'"), [
    ["{}"],
  ]);
});

testOnEach("by a start whose losses are confirmed", async () => {
  const path = await storeWithDraft();
  await (await open(documentOf(other), path, { losesData: true })).close();
  assert.deepEqual(await kept(path), [0, 0]);
  await (await open(withDraft, path)).close();
  assert.deepEqual(await kept(path), [0, 0]);
});
