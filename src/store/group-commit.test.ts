/** Group commit: unit tests. */
import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import { test } from "node:test";
import type { Frame } from "../expressions/value.ts";
import { Fault } from "../support/invariant.ts";
import { StoreUnavailable, WriteTimedOut } from "./errors.ts";
import type { Transaction } from "./store.ts";
import { statementOf, openTestStore, storePath } from "./test-files.ts";
import { ManualMachine } from "./test-machine.ts";
import { field, model, resource } from "./test-model.ts";
import { openConnection } from "./sqlite/connection/connection.ts";
import { SqliteGroupTransaction } from "./sqlite/group-transaction.ts";
import { defaultLimits, GroupCommit } from "./group-commit.ts";
import type { WriteSlot } from "./write-slot.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string", { rules: [{ rule: "unique" }] })])]);
const texts = statementOf(`SELECT string_agg("text", ' ' ORDER BY "#row") FROM "Note"`);

let made = 0;
const add = (text: string) => async (transaction: Transaction) => {
  made += 1;
  return transaction.insert("Note", { id: String(made), text });
};

function outcomes(promises: readonly Promise<unknown>[]): Promise<string[]> {
  return Promise.all(
    promises.map((promise) =>
      promise.then(
        () => "stored",
        (error: Error) => error.message,
      ),
    ),
  );
}

test("writes run one after another in the order of their calls, even if they wait", async (t) => {
  const store = await openTestStore(t, notes, storePath(t));
  const order: string[] = [];
  const slow = (name: string, ticks: number) => async (transaction: Transaction) => {
    order.push(`${name} starts`);
    for (let tick = 0; tick < ticks; tick += 1) await nextTick();
    await transaction.insert("Note", { id: name, text: name });
    order.push(`${name} ends`);
  };
  await Promise.all([store.write(slow("a", 20)), store.write(slow("b", 1)), store.write(slow("c", 0))]);
  assert.deepEqual(order, ["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});

test("a failed write is rolled back alone, whatever its position in the group", async (t) => {
  const store = await openTestStore(t, notes, storePath(t));
  const failing = (text: string) => async (transaction: Transaction) => {
    await add(text)(transaction);
    throw new Error(`not ${text}`);
  };
  const writes = [failing("a"), add("b"), failing("c"), add("d"), add("b"), failing("e")].map((work) =>
    store.write(work),
  );
  assert.deepEqual(await outcomes(writes), [
    "not a",
    "stored",
    "not c",
    "stored",
    "duplicate of Note: text",
    "not e",
  ]);
  assert.equal(await store.session.value(texts, frame), "b d");
});

test("committed reads don't see an open group, on a file at once and in memory afterwards", async (t) => {
  for (const path of [storePath(t), ":memory:"]) {
    const store = await openTestStore(t, notes, path);
    let seen: unknown;
    let reading: Promise<void> | undefined;
    await store.write(async (transaction) => {
      await add("a")(transaction);
      reading = (async () => {
        seen = await store.session.value(texts, frame);
      })();
      await nextTick();
    });
    await reading;
    assert.equal(seen, path === ":memory:" ? "a" : null, path);
    assert.equal(await store.session.value(texts, frame), "a");
  }
});

test("a write that waits for a nested write times out, and nothing of it is stored", async (t) => {
  const machine = new ManualMachine();
  const store = await openTestStore(t, notes, storePath(t), { limits: { writeMs: 20 }, machine });
  let inner: Promise<unknown> | undefined;
  const outer = store.write(async (transaction) => {
    await add("outer")(transaction);
    inner = store.write(add("inner"));
    setImmediate(() => machine.advance(20));
    await inner;
  });
  await assert.rejects(outer, WriteTimedOut);
  await inner;
  assert.equal(await store.session.value(texts, frame), "inner");
});

test("a write that takes too long is rolled back, and its later calls have no effect", async (t) => {
  const machine = new ManualMachine();
  const store = await openTestStore(t, notes, storePath(t), { limits: { writeMs: 20 }, machine });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  const slow = store.write(async (transaction) => {
    await add("slow")(transaction);
    late = isOver
      .then(() => transaction.insert("Note", { id: "late", text: "late" }))
      .catch((error: unknown) => error);
    setImmediate(() => machine.advance(20));
    await late;
  });
  const behind = store.write(add("behind"));
  await assert.rejects(slow, WriteTimedOut);
  await behind;
  end();
  assert.ok((await late) instanceof Fault);
  assert.equal(await store.session.value(texts, frame), "behind");
});

test("a write without a time limit doesn't time out", async (t) => {
  const machine = new ManualMachine();
  const store = await openTestStore(t, notes, ":memory:", { limits: { writeMs: 1 }, machine });
  await store.write(
    async (transaction) => {
      machine.advance(60_000);
      await nextTick();
      await add("patient")(transaction);
    },
    { isUnlimited: true },
  );
  assert.equal(await store.session.value(texts, frame), "patient");
});

test("a group accepts no further write after its time limit, and the others form the next group", async (t) => {
  const machine = new ManualMachine();
  const store = await openTestStore(t, notes, storePath(t), { limits: { groupMs: 5 }, machine });
  const groups: string[] = [];
  let group = "";
  store.onCommit(() => {
    groups.push(group);
    group = "";
  });
  const slow = (text: string, ms: number) => async (transaction: Transaction) => {
    await add(text)(transaction);
    machine.advance(ms);
    group += text;
  };
  const writes = [slow("a", 2), slow("b", 2), slow("c", 1), slow("d", 0)].map((work) => store.write(work));
  await Promise.all(writes);
  assert.deepEqual(groups, ["abc", "d"]);
});

test("writes beyond the queue's limit get a retryable error", async (t) => {
  const store = await openTestStore(t, notes, ":memory:", { limits: { waitingMax: 2 } });
  const reported = await outcomes([1, 2, 3].map((number) => store.write(add(String(number)))));
  assert.deepEqual(reported, ["stored", "stored", "Too many writes are waiting."]);
});

test("the number of writes in a group is bounded", async (t) => {
  const store = await openTestStore(t, notes, ":memory:", { limits: { writesMax: 2 } });
  assert.deepEqual(
    await outcomes([1, 2, 3, 4, 5].map((number) => store.write(add(String(number))))),
    Array(5).fill("stored"),
  );
});

test("closing waits for queued writes, and rejects new ones", async (t) => {
  const store = await openTestStore(t, notes);
  const bound = store.write(add("a"));
  const closed = store.close();
  await assert.rejects(store.write(add("b")), StoreUnavailable);
  await bound;
  await closed;
});

/** A group commit over a table without the store around it, whose file can be kept from growing. */
function openGroups(
  path: string,
  reported: string[],
): {
  groups: GroupCommit;
  sql: (text: string) => unknown;
  insert: (bytes: number) => (slot: WriteSlot) => Promise<void>;
} {
  const connection = openConnection(path);
  connection.exec("CREATE TABLE IF NOT EXISTS t (x TEXT)");
  const groups = new GroupCommit(new SqliteGroupTransaction(connection), defaultLimits, {
    onUnavailable: (error) => reported.push(error.message),
    takeChanges: () => ({ hasEvents: false, changed: new Map() }),
    onCommit: () => {},
    obstacle: () => undefined,
    machine: new ManualMachine(),
  });
  const insert =
    (bytes: number) =>
    async (slot: WriteSlot): Promise<void> => {
      slot.beforeChange();
      try {
        connection.statement("INSERT INTO t VALUES (?)").run(["x".repeat(bytes)]);
      } catch (error) {
        slot.failed(error);
        throw error;
      }
    };
  return { groups, insert, sql: (text) => connection.prepare(text).get([])?.[0] };
}

test("a full disk rejects the whole group, reads continue, and writes succeed again when there is space", async (t) => {
  const reported: string[] = [];
  const { groups, insert, sql } = openGroups(storePath(t), reported);
  await groups.write(insert(10));
  sql("PRAGMA max_page_count = 4");
  const group = [insert(10), insert(100_000), insert(10)].map((work) => groups.write(work));
  for (const write of group) {
    await assert.rejects(write, (error) => error instanceof StoreUnavailable && error.retryable);
  }
  assert.equal(sql("SELECT count(*) FROM t"), 1);
  await groups.write(insert(10));
  sql("PRAGMA max_page_count = 100000");
  await groups.write(insert(100_000));
  assert.equal(sql("SELECT count(*) FROM t"), 3);
  assert.deepEqual(reported, ["The disk is full; the change isn't stored."]);
});

test("after a disk error nothing more is written, and reads continue", async (t) => {
  const reported: string[] = [];
  const { groups, insert, sql } = openGroups(storePath(t), reported);
  await groups.write(insert(10));
  const ioError = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 1034 });
  const failing = groups.write(async (slot) => {
    slot.beforeChange();
    slot.failed(ioError);
    throw ioError;
  });
  await assert.rejects(failing, (error) => error instanceof StoreUnavailable && !error.retryable);
  await assert.rejects(groups.write(insert(10)), StoreUnavailable);
  assert.equal(sql("SELECT count(*) FROM t"), 1);
  assert.equal(reported.length, 1);
});

test("a statement error that a write catches still ends the group", async (t) => {
  const { groups, insert } = openGroups(storePath(t), []);
  const ioError = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 778 });
  const before = groups.write(insert(10));
  const hiding = groups.write(async (slot) => {
    slot.beforeChange();
    slot.failed(ioError);
  });
  await assert.rejects(before, StoreUnavailable);
  await assert.rejects(hiding, StoreUnavailable);
});

test("a write resolves after its commit: another process sees the change", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await store.write(add("a"));
  const reader = openConnection(path, { readOnly: true });
  assert.equal(reader.prepare(`SELECT count(*) FROM "Note"`).get([])?.[0], 1);
  reader.close();
});
