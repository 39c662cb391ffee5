/** Change notifications: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Commit } from "../../store/store.ts";
import { silentLog } from "../ports.ts";
import { createChanges } from "./changes.ts";

/** The changed rows by resource; null for many rows. */
type Changed = Readonly<Record<string, readonly number[] | null>>;

function serve() {
  let listener: ((commit: Commit) => void) | undefined;
  const failures: unknown[] = [];
  const store = {
    onCommit(reports: (commit: Commit) => void) {
      listener = reports;
      return () => (listener = undefined);
    },
  };
  const log = { ...silentLog, error: (fields: object) => void failures.push(fields) };
  const changes = createChanges(store, log);
  return {
    changes,
    failures,
    get isListening() {
      return listener !== undefined;
    },
    commit(changed: Changed) {
      const rows = Object.entries(changed).map(([name, some]) => [name, some && new Set(some)] as const);
      listener?.({ hasEvents: false, changed: new Map(rows) });
    },
    /** Creates a watch, and counts the calls of its listener. */
    watch(rows: readonly [string, number][], resources: readonly string[] = []) {
      const watcher = {
        calls: 0,
        watch: changes.watch(watched(rows, resources), () => (watcher.calls += 1)),
      };
      watcher.watch.markRead();
      return watcher;
    },
  };
}

const watched = (rows: readonly [string, number][], resources: readonly string[] = []) => ({
  rows: rows.map(([resource, row]) => ({ resource, row })),
  resources: new Set(resources),
});
const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a watch is stale at once after a change of its record or resource, and is called in the next tick", async () => {
  const { commit, watch } = serve();
  const row = watch([["Note", 1]]);
  const other = watch([["Note", 2]]);
  const all = watch([], ["Note"]);
  const elsewhere = watch([["Notebook", 1]], ["Tag"]);
  const everyone = [row, other, all, elsewhere];
  commit({ Note: [1], Draft: [2] });
  assert.deepEqual(
    everyone.map((item) => [item.watch.isStale, item.calls]),
    [
      [true, 0],
      [false, 0],
      [true, 0],
      [false, 0],
    ],
  );
  await aTurn();
  assert.deepEqual(
    everyone.map((item) => item.calls),
    [1, 0, 1, 0],
  );
  // If a commit has too many rows to list, each watcher of the resource is notified, and no other
  // watcher.
  for (const item of everyone) item.watch.markRead();
  commit({ Note: null });
  await aTurn();
  assert.deepEqual(
    everyone.map((item) => [item.watch.isStale, item.calls]),
    [
      [true, 2],
      [true, 1],
      [true, 2],
      [false, 0],
    ],
  );
});

test("several commits of one tick cause one call, those of the next tick another", async () => {
  const { commit, watch } = serve();
  const watcher = watch([["Note", 1]], ["Note", "Tag"]);
  commit({ Note: [1] });
  commit({ Note: [1], Tag: [7] });
  await aTurn();
  assert.equal(watcher.calls, 1);
  commit({ Tag: [7] });
  await aTurn();
  assert.equal(watcher.calls, 2);
});

test("a new watch is stale until its first look; a look counts until the next change", () => {
  const { changes, commit } = serve();
  const watch = changes.watch(watched([["Note", 1]]), () => {});
  assert.ok(watch.isStale);
  watch.markRead();
  assert.ok(!watch.isStale);
  commit({ Note: [1] });
  assert.ok(watch.isStale);
});

test("a watch that moves to other records ignores the earlier ones", async () => {
  const { commit, watch } = serve();
  const watcher = watch([["Note", 1]], ["Tag"]);
  const second = watch([["Note", 1]], ["Tag"]);
  watcher.watch.become(watched([["Note", 2]], ["Draft"]));
  commit({ Note: [1], Tag: null });
  await aTurn();
  assert.deepEqual([watcher.calls, second.calls], [0, 1]);
  commit({ Note: [2] });
  await aTurn();
  commit({ Draft: [1] });
  await aTurn();
  assert.deepEqual([watcher.calls, second.calls], [2, 1]);
});

test("a stopped watch is not called, not even for earlier commits", async () => {
  const { changes, commit, watch } = serve();
  const watcher = watch([["Note", 1]], ["Tag"]);
  const second = watch([["Note", 1]]);
  commit({ Note: [1] });
  watcher.watch.stop();
  await aTurn();
  watcher.watch.markRead();
  commit({ Note: [1], Tag: [1] });
  assert.ok(!watcher.watch.isStale);
  await aTurn();
  assert.deepEqual([watcher.calls, second.calls], [0, 2]);
  commit({ Note: [1] });
  changes.stop();
  await aTurn();
  assert.equal(second.calls, 2);
});

test("stopping ends all watches", () => {
  const served = serve();
  assert.ok(served.isListening);
  served.changes.stop();
  assert.ok(!served.isListening);
});

test("a failing listener prevents no other call, and is reported", async () => {
  const { changes, commit, watch, failures } = serve();
  changes.watch(watched([["Note", 1]]), () => {
    throw new Error("no");
  });
  const watcher = watch([["Note", 1]]);
  commit({ Note: [1] });
  await aTurn();
  assert.equal(watcher.calls, 1);
  assert.deepEqual(failures, [{ error: "Error: no" }]);
});
