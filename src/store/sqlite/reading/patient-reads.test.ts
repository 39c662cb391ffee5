/** Slow reads: their time limit, and that no other request waits for them. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Value } from "../../../expressions/value.ts";
import { StatementTimedOut } from "../../errors.ts";
import type { Query } from "../../store.ts";
import { storePath } from "../../test-files.ts";
import { readLimits } from "./limits.ts";
import { addUser, openCrowd, frame, userCount, longTimeMs } from "./test-crowd.ts";
import { rowsRead } from "../connection/time-bound.ts";
import { sqliteAlone } from "../../../../test/sqlite-alone.ts";

const threads = sqliteAlone("SQLite's reads are answered at once, or ended by our own function");

for (const kind of ["a file", "memory"] as const) {
  const pathOf = (t: TestContext) => (kind === "memory" ? ":memory:" : storePath(t));
  const own = kind === "memory" ? threads : {};

  test(
    `in ${kind}, other reads return at once during a slow statement, and the slow one times out`,
    own,
    async (t) => {
      const { store, fives, all } = await openCrowd(t, pathOf(t), 1_000);
      let isOver = false;
      const slow = Promise.resolve(store.session.value(fives, frame)).finally(() => {
        isOver = true;
      });
      slow.catch(() => {});
      assert.equal(store.session.count(all, frame), userCount, "no promise: it is there");
      await store.write(async (transaction) => void (await addUser(transaction, userCount + 1)));
      assert.equal(store.session.count(all, frame), userCount + 1);
      assert.equal(isOver, false);
      await assert.rejects(slow, StatementTimedOut);
    },
  );

  test(`in ${kind}, a slow statement sees what was committed before it started`, own, async (t) => {
    const { store, triples } = await openCrowd(t, pathOf(t), longTimeMs);
    for (const more of [0, 1]) {
      if (more > 0)
        await store.write(async (transaction) => void (await addUser(transaction, userCount + more)));
      const statement = store.session.value(triples, frame);
      assert.ok(statement instanceof Promise, "it runs on another thread");
      assert.equal(await statement, userCount + more);
    }
  });
}

test("a statement can be interrupted at each row of nested collections", threads, async (t) => {
  const { store, pairs } = await openCrowd(t, ":memory:");
  const before = rowsRead();
  assert.equal(await store.session.value(pairs, frame), 0);
  // The loop has all pairs. On a busy machine it reads at least this many before it moves to a
  // thread.
  assert.ok(rowsRead() - before > readLimits.hereRows, String(rowsRead() - before));
});

test("a slow statement in a write is interrupted, the write is rolled back, and other writes are stored", async (t) => {
  const { store, fives, all } = await openCrowd(t, ":memory:", 50);
  const slow = store.write(async (transaction) => {
    await addUser(transaction, userCount + 1);
    return transaction.value(fives, frame);
  });
  const writing = store.write(async (transaction) => void (await addUser(transaction, userCount + 2)));
  await assert.rejects(slow, StatementTimedOut);
  await writing;
  assert.equal(await store.session.count(all, frame), userCount + 1);
});

test("a repeated statement never occupies all threads", async (t) => {
  const { store, fives, named } = await openCrowd(t, storePath(t), 800);
  let over = 0;
  const slow = Array.from({ length: 20 }, () =>
    Promise.resolve(store.session.value(fives, frame)).catch((error: unknown) => {
      over += 1;
      return error;
    }),
  );
  const statement = store.session.value(named, frame);
  assert.ok(statement instanceof Promise, "the first has taken the time that there is in this turn");
  assert.equal(await statement, userCount);
  assert.ok(over < slow.length, "the other one has overtaken them");
  for (const error of await Promise.all(slow)) assert.ok(error instanceof StatementTimedOut, String(error));
});

test("endlessly overlapping slow reads don't let the log grow endlessly", async (t) => {
  const path = storePath(t);
  const mebibyte = 1024 * 1024;
  const logBytesMax = 2 * mebibyte;
  const { store, fives, others } = await openCrowd(t, path, 150, { logBytesMax });
  let longest = 0;
  let leaves = 0;
  const execute = (query: Query<Value>) => {
    const statement = Promise.resolve(store.session.value(query, frame));
    return assert.rejects(statement, StatementTimedOut);
  };
  const add = async () => {
    leaves += 1;
    const leaf = { id: leaves, text: "x".repeat(mebibyte) };
    await store.write(async (transaction) => void (await transaction.insert("Leaf", leaf)));
    longest = Math.max(longest, statSync(`${path}-wal`).size);
  };
  // Each read starts while the previous one is running.
  let before = execute(fives);
  for (const query of [others, fives, others, fives, others, fives, others, fives, others, fives]) {
    await add();
    const next = execute(query);
    await before;
    before = next;
  }
  await before;
  assert.ok(longest < logBytesMax + 4 * mebibyte, `of ${leaves} MiB the log grew to ${longest} bytes`);
});
