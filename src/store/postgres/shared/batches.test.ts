/** Query batching: which queries share a statement, and what an error rejects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inBatches } from "./batches.ts";

/** Doubles numbers in batches, which end when the test says so. */
function doubling() {
  const batches: (readonly number[])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const double = inBatches<number, number>((all) => {
    batches.push(all);
    return new Promise((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve(all.map((number) => number * 2))));
    });
  });
  return { batches, ends, double };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("queries of one tick share a batch, those during a batch the next, and each gets its own result", async () => {
  const { batches, ends, double } = doubling();
  const first = [double(1), double(2)];
  assert.deepEqual(batches, []);
  await tick();
  const second = [double(3), double(4)];
  await tick();
  assert.deepEqual(batches, [[1, 2]]);
  ends[0]?.();
  assert.deepEqual(await Promise.all(first), [2, 4]);
  await tick();
  assert.deepEqual(batches, [
    [1, 2],
    [3, 4],
  ]);
  ends[1]?.();
  assert.deepEqual(await Promise.all(second), [6, 8]);
  await tick();
  // Nothing waits, so no empty batch runs, and the next query starts one.
  assert.equal(batches.length, 2);
  const third = double(5);
  await tick();
  ends[2]?.();
  assert.equal(await third, 10);
  assert.equal(batches.length, 3);
});

test("an error rejects all queries of its batch, and no other", async () => {
  const { ends, double } = doubling();
  const failed = [double(1), double(2)];
  await tick();
  const next = double(3);
  ends[0]?.(new Error("away"));
  for (const { status } of await Promise.allSettled(failed)) assert.equal(status, "rejected");
  await tick();
  ends[1]?.();
  assert.equal(await next, 6);
});
