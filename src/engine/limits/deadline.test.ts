/** Deadlines (`time-out`, part 8): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../problem.ts";
import { createDeadline } from "./deadline.ts";

test("a request has its whole time and not a millisecond more, and its message states seconds", () => {
  let nowMs = 5000;
  const clock = { now: () => nowMs, at: () => () => {} };
  const check = createDeadline(clock, 5000, 1500);
  check();
  nowMs = 6500;
  check();
  nowMs = 6501;
  assert.throws(check, (error) => {
    assert.ok(error instanceof Problem);
    const { condition, problem, limitName, limit } = error.details[0];
    assert.deepEqual(
      { condition, problem, limitName, limit },
      { condition: "timed out", problem: "took longer than 1.5 seconds", limitName: "time-out", limit: 1.5 },
    );
    return true;
  });
});
