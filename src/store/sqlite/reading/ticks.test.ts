/** Many small statements at once: they run on the main thread, spread over several ticks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { RecordValue } from "../../../expressions/value.ts";
import { planRecordByRow } from "../../../engine/records/record-by-row.ts";
import { StoreUnavailable } from "../../errors.ts";
import { storePath } from "../../test-files.ts";
import { openCrowd, frame, userCount } from "./test-crowd.ts";

test("many reads of single records run on this thread, and other work runs in between", async (t) => {
  const { store } = await openCrowd(t, storePath(t));
  const byRow = planRecordByRow({ store });
  const many = 20_000;
  let read = 0;
  const reads = Array.from({ length: many }, async (_, at) => {
    const record = await byRow("User", 1 + (at % userCount), store.session, frame);
    read += 1;
    return record?.["id"];
  });
  await pause(0);
  assert.ok(read < many, "other work runs before all reads are done");
  const ids = await Promise.all(reads);
  assert.deepEqual(new Set(ids).size, userCount);
});

test("a read that waited for the next tick doesn't see a write that is open then", async (t) => {
  const { store } = await openCrowd(t, storePath(t));
  const byRow = planRecordByRow({ store });
  const reads = Array.from(
    { length: 20_000 },
    async () => (await byRow("User", 1, store.session, frame))?.["name"],
  );
  const all = Promise.all(reads);
  const taken = store.write(async (transaction) => {
    const user = await byRow("User", 1, transaction, frame);
    await transaction.update("User", user as RecordValue, { name: "uncommitted" });
    await all;
    throw new Error("taken back");
  });
  await assert.rejects(taken, /taken back/);
  assert.deepEqual([...new Set(await all)], ["User 1"]);
});

test("closing the store rejects reads that wait for the next tick", async (t) => {
  const { store } = await openCrowd(t, storePath(t));
  const byRow = planRecordByRow({ store });
  const reads = Array.from({ length: 20_000 }, async () => byRow("User", 1, store.session, frame));
  const all = Promise.allSettled(reads);
  await store.close();
  const last = (await all).at(-1);
  assert.ok(last?.status === "rejected" && last.reason instanceof StoreUnavailable, String(last));
});
