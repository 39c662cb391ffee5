/** Sliced iteration: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices } from "./in-slices.ts";

test("each item is processed once and in order, and other tasks run in between", async () => {
  const done: (number | "others")[] = [];
  const isOver = new Promise<void>((resolve) => {
    inSlices([1, 2, 3, 4, 5], 2, (item) => {
      done.push(item);
      if (item % 2 === 1) setImmediate(() => done.push("others"));
      if (item === 5) setImmediate(resolve);
    });
  });
  assert.deepEqual(done, [1, 2]);
  await isOver;
  assert.deepEqual(done, [1, 2, "others", 3, 4, "others", 5, "others"]);
});

test("items that fit into one slice need no further tick, and no items need none", async () => {
  const done: number[] = [];
  inSlices([1, 2], 2, (item) => done.push(item));
  inSlices([], 2, (item: number) => done.push(item));
  assert.deepEqual(done, [1, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, [1, 2]);
  assert.ok(!process.getActiveResourcesInfo().includes("Immediate"));
});
