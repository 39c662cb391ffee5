/**
 * Removed resources: the engine's own rows about them are deleted, so a later resource of the same
 * name starts fresh.
 */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import { change, newPath, rowsOf, testOnEach } from "./support.ts";

const other = resource("Other", "name | string |");
const withDraft = documentOf(resource("Draft", "text | string |") + other);

const noTimers = '{"rules":[]}';

/** The number of rows about drafts in the engine's own tables. */
async function kept(path: string): Promise<readonly unknown[]> {
  const [counts] = await rowsOf(
    path,
    `SELECT (SELECT count(*) FROM ninefold_timers WHERE resource = 'Draft'),
      (SELECT count(*) FROM ninefold_settings WHERE name LIKE '%Draft%' AND name NOT LIKE 'tokens %')`,
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
    await transaction.system.setSetting("timers Other", noTimers);
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
    [noTimers],
  ]);
});

testOnEach("by a start whose losses are confirmed", async () => {
  const path = await storeWithDraft();
  await (await open(documentOf(other), path, { losesData: true })).close();
  assert.deepEqual(await kept(path), [0, 0]);
  await (await open(withDraft, path)).close();
  assert.deepEqual(await kept(path), [0, 0]);
});

/** Logs an event of the first record of each resource. */
async function logEvents(path: string, document: string): Promise<void> {
  const store = await open(document, path);
  await store.write(async ({ system }) => {
    for (const name of ["Draft", "Other"])
      system.appendEvents([
        {
          id: name,
          type: "made",
          time: "2030-01-01T00:00:00.000Z",
          resource: name,
          row: 1,
          subject: "",
          payload: "{}",
          record: null,
        },
      ]);
  });
  await store.close();
}

const resourcesInLog = (path: string) =>
  rowsOf(path, "SELECT id, resource FROM ninefold_events ORDER BY sequence");

testOnEach("events of a removed resource aren't those of a later one with its name", async () => {
  const path = await storeWithDraft();
  await logEvents(path, withDraft);
  const renamed = change("other", "Removed: Draft", "Renamed: Other to Draft");
  await (await open(documentOf(resource("Draft", "name | string |"), renamed), path)).close();
  assert.deepEqual(await resourcesInLog(path), [
    ["Draft", "Draft (removed)"],
    ["Other", "Draft"],
  ]);
});
