/** Early exit: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withExit } from "./early-exit.ts";

test("work is left with a result, through what waits for it", async () => {
  const undone: string[] = [];
  const result = await withExit<number>(async (exit) => {
    try {
      await Promise.resolve();
      return exit(2);
    } catch (error) {
      undone.push("outer");
      throw error;
    }
  });
  assert.equal(result, 2);
  assert.deepEqual(undone, ["outer"]);
});

test("work that is not left has its own result, and its own error", async () => {
  assert.equal(await withExit<number>(async () => 1), 1);
  await assert.rejects(
    withExit<number>(() => Promise.reject(new Error("own"))),
    /own/,
  );
});

test("an inner exit leaves the inner work only", async () => {
  const result = await withExit<string>(async (exit) => {
    const inner = await withExit<string>(async (leave) => leave("inner"));
    return exit(`${inner}, outer`);
  });
  assert.equal(result, "inner, outer");
});
