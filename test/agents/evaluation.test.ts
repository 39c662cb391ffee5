/** The judges of the evaluation: each accepts a right answer, and rejects wrong ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalsOf } from "./evaluation/judge.ts";
import { tasks } from "./evaluation/tasks.ts";

test("there are 24 tasks of six kinds, each with a name of its own", () => {
  assert.equal(tasks.length, 24);
  assert.equal(new Set(tasks.map(({ name }) => name)).size, 24);
  assert.equal(new Set(tasks.map(({ kind }) => kind)).size, 6);
});

for (const task of tasks)
  test(`the judge of ${task.name} accepts the right answer and rejects wrong ones`, async () => {
    assert.deepEqual(await refusalsOf(task, task.right), []);
    for (const [why, answer] of Object.entries(task.wrong))
      assert.notDeepEqual(await refusalsOf(task, answer), [], `accepted although ${why}`);
    assert.notDeepEqual(await refusalsOf(task, {}), [], "accepted without an answer");
    assert.notDeepEqual(await refusalsOf(task, { "service.md": "# Notes\n" }), [], "accepted a text");
  });
