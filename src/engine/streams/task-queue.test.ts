/** Task queue: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TaskQueue } from "./task-queue.ts";

test("a limited number of tasks runs at a time, in the order of arrival, also after a failing one", async () => {
  const turns = new TaskQueue(2);
  const started: number[] = [];
  let underWay = 0;
  let most = 0;
  const all = Array.from({ length: 7 }, (_, at) =>
    turns.within(async () => {
      started.push(at);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      if (at === 1) throw new Error("one fails");
      return at;
    }),
  );
  const ended = await Promise.allSettled(all);
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(most, 2);
  assert.deepEqual(
    ended.map((promiseSettledResult) =>
      promiseSettledResult.status === "fulfilled"
        ? promiseSettledResult.value
        : String(promiseSettledResult.reason),
    ),
    [0, "Error: one fails", 2, 3, 4, 5, 6],
  );
  assert.equal(await turns.within(async () => "later"), "later");
});
