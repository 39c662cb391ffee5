/** Store snapshots: stores that start with one, and open writes. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import type { Frame } from "../../../expressions/value.ts";
import { removeStore } from "../../index.ts";
import type { Store, StoreSnapshot } from "../../store.ts";
import { statementOf, openTestStore, storePath } from "../../test-files.ts";
import { field, model, resource } from "../../test-model.ts";
import { sqliteAlone } from "../../../../test/sqlite-alone.ts";

const shops = model([resource("Shop", [field("name", "string")])]);

const add = (store: Store, id: string) =>
  store.write(async (transaction) => transaction.insert("Shop", { id, name: id }));

const names = async (store: Store) =>
  store.session.value(statementOf(`SELECT group_concat(name, ' ') FROM "Shop"`), {} as Frame);

const snapshotOf = (store: Store): Promise<StoreSnapshot> => {
  assert.ok(store.snapshot);
  return store.snapshot();
};

for (const kind of ["memory", "a file"]) {
  const own = kind === "memory" ? sqliteAlone("it is about SQLite's stores in memory") : {};

  test(`a store in ${kind} starts with a snapshot, without changes made after it`, own, async (t) => {
    const path = kind === "memory" ? ":memory:" : storePath(t);
    const store = await openTestStore(t, shops, path);
    await add(store, "ada");
    await store.write(async ({ system }) => system.setSetting("own key", "k"));
    const snapshot = await snapshotOf(store);
    assert.ok(snapshot.bytes > 4096);
    await add(store, "grace");
    assert.equal(await names(store), "ada grace");
    await store.close();
    for (let times = 0; times < 2; times += 1) {
      const restored = await openTestStore(t, shops, path, { initialContent: snapshot });
      assert.equal(await names(restored), "ada");
      assert.equal(await restored.session.system.setting("own key"), "k");
      await add(restored, "alan");
      assert.equal(await names(restored), "ada alan");
      await restored.close();
    }
    if (path === ":memory:") return;
    assert.ok(!existsSync(`${path}.restoring`));
    assert.equal(await names(await openTestStore(t, shops, path)), "ada alan");
  });

  test(`a store in ${kind} can start empty, instead of with its content`, own, async (t) => {
    const path = kind === "memory" ? ":memory:" : storePath(t);
    const store = await openTestStore(t, shops, path);
    await add(store, "ada");
    await store.close();
    const empty = await openTestStore(t, shops, path, { initialContent: "empty" });
    assert.equal(await empty.isEmpty(), true);
    await add(empty, "grace");
    assert.equal(await names(empty), "grace");
  });

  test(
    `a snapshot of a store in ${kind} has all committed writes, and no rolled back ones`,
    own,
    async (t) => {
      const path = kind === "memory" ? ":memory:" : storePath(t);
      const store = await openTestStore(t, shops, path);
      const taken: Promise<StoreSnapshot>[] = [];
      const refused: Promise<unknown>[] = [];
      for (let round = 0; round < 20; round += 1) {
        const kept = add(store, `kept${round}`);
        // The write stays open over several ticks of the event loop, while a snapshot is requested.
        const failing = store.write(async (transaction) => {
          await transaction.insert("Shop", { id: `lost${round}`, name: "lost" });
          taken.push(snapshotOf(store));
          await new Promise((resolve) => setImmediate(resolve));
          throw new Error("taken back");
        });
        refused.push(assert.rejects(failing, /taken back/));
        await kept;
        taken.push(snapshotOf(store));
      }
      await Promise.all(refused);
      await store.close();
      for (const snapshot of await Promise.all(taken)) {
        const restored = await openTestStore(t, shops, ":memory:", { initialContent: snapshot });
        assert.doesNotMatch(String(await names(restored)), /lost/);
        await restored.close();
      }
      const last = await openTestStore(t, shops, ":memory:", {
        initialContent: (await taken.at(-1)) as StoreSnapshot,
      });
      assert.equal(String(await names(last)).split(" ").length, 20);
    },
  );
}

test("a store is deleted with all files next to it, and a file that isn't a store or is in use stays", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, shops, path);
  await assert.rejects(removeStore(path), /in use/);
  await store.close();
  assert.equal(await removeStore(path), true);
  assert.deepEqual(readdirSync(dirname(path)), []);
  assert.equal(await removeStore(path), false);
  writeFileSync(path, "a letter to somebody");
  await assert.rejects(removeStore(path), /not a Ninefold store/);
  assert.equal(readFileSync(path, "utf8"), "a letter to somebody");
});
