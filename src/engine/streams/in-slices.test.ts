import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices } from "./in-slices.ts";

test("each has its turn once and in order, and others have theirs in between", async () => {
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

test("as many as one turn takes need no other, and none need none", async () => {
  const done: number[] = [];
  inSlices([1, 2], 2, (item) => done.push(item));
  inSlices([], 2, (item: number) => done.push(item));
  assert.deepEqual(done, [1, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, [1, 2]);
  assert.ok(!process.getActiveResourcesInfo().includes("Immediate"));
});
