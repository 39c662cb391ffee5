/** Delivery schedule: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { senderLimits } from "./limits.ts";
import { type AttemptOutcome, scheduleAfter, type RetryPolicy } from "./schedule.ts";

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);
const policy: RetryPolicy = { pausesMs: [1000, 20_000], jitter: 0 };

function noted(
  outcome: AttemptOutcome,
  attempts = 0,
  { chance = 0, ...changed }: Partial<RetryPolicy> & { chance?: number } = {},
) {
  const note = scheduleAfter(
    { number: 7, attempts },
    outcome,
    { ...policy, ...changed },
    nowMs,
    () => chance,
  );
  assert.equal(note.number, 7);
  assert.equal(note.at, nowMs);
  return note;
}
const answered = (status: number, more: { retryAfter?: string; revision?: number } = {}): AttemptOutcome => ({
  kind: "answered",
  status,
  ...more,
});

test("only 2xx is success", () => {
  for (const status of [200, 204, 299])
    assert.deepEqual([noted(answered(status)).state, noted(answered(status)).error], ["done", null]);
  for (const status of [199, 300, 301, 404, 500]) {
    const { state, error, dueAt } = noted(answered(status));
    assert.deepEqual([state, error, dueAt], ["open", `answered ${status}`, nowMs + 1000]);
  }
  assert.deepEqual(noted({ kind: "failed", error: "no answer" }), {
    number: 7,
    at: nowMs,
    status: null,
    state: "open",
    error: "no answer",
    dueAt: nowMs + 1000,
  });
});

test("each failed attempt is followed by the next pause, and after the last the delivery is given up", () => {
  assert.equal(noted(answered(500), 0).dueAt, nowMs + 1000);
  assert.equal(noted(answered(500), 1).dueAt, nowMs + 20_000);
  const last = noted(answered(500), 2);
  assert.deepEqual([last.state, last.dueAt, last.throttledUntil], ["dead", null, undefined]);
});

test("a deleted receiver gets no further attempt, and one that answers 410 gets no further delivery", () => {
  assert.deepEqual(
    [
      noted({ kind: "gone", error: "no receiver" }).state,
      noted({ kind: "gone", error: "no receiver" }).error,
    ],
    ["dead", "no receiver"],
  );
  const gone = noted(answered(410, { revision: 3 }));
  assert.deepEqual([gone.state, gone.dueAt, gone.disabledRevision], ["dead", null, 3]);
  // A receiver that the document states can't be disabled: its deliveries are retried as usual.
  assert.equal(noted(answered(410)).state, "open");
  assert.equal(noted(answered(404, { revision: 3 })).disabledRevision, undefined);
});

test("jitter adds at most the policy's part to a pause, and nothing if the policy has none", () => {
  assert.equal(noted(answered(500), 1, { jitter: 0.1, chance: 0 }).dueAt, nowMs + 20_000);
  assert.equal(noted(answered(500), 1, { jitter: 0.1, chance: 0.5 }).dueAt, nowMs + 21_000);
  assert.equal(noted(answered(500), 1, { jitter: 0, chance: 0.9 }).dueAt, nowMs + 20_000);
});

test("a receiver's Retry-After may lengthen the pause, and never shortens it", () => {
  const due = (retryAfter: string, status = 503) =>
    (noted(answered(status, { retryAfter })).dueAt ?? 0) - nowMs;
  assert.equal(due("7"), 7000);
  assert.equal(due(" 7 "), 7000);
  assert.equal(due("0"), 1000);
  assert.equal(due("Sat, 21 Nov 2026 12:00:09 GMT"), 9000);
  assert.equal(due("Sat, 21 Nov 2026 11:00:00 GMT"), 1000);
  assert.equal(due("9999999999"), senderLimits.retryAfterMsMax);
  for (const unread of ["soon", "7s", "-7", "12345678901", "2026-11-21T12:00:09Z"])
    assert.equal(due(unread), 1000);
});

test("an overloaded receiver is sent nothing for the time that it states, or else for the pause", () => {
  const throttled = (status: number, retryAfter?: string, attempts = 0, pausesMs = policy.pausesMs) => {
    const outcome = answered(status, retryAfter === undefined ? {} : { retryAfter });
    const { throttledUntil } = noted(outcome, attempts, { pausesMs });
    return throttledUntil === undefined ? undefined : throttledUntil - nowMs;
  };
  for (const status of [429, 502, 504]) {
    assert.equal(throttled(status), 1000);
    assert.equal(throttled(status, "7"), 7000);
    assert.equal(throttled(status, undefined, 0, [86_400_000]), senderLimits.throttleMsMax);
    // This delivery is given up, but others to the same receiver are pending.
    assert.equal(throttled(status, undefined, 2), senderLimits.throttleMsMax);
  }
  assert.deepEqual([throttled(503), throttled(503, "7")], [undefined, 7000]);
  assert.deepEqual([throttled(500), throttled(500, "7")], [undefined, undefined]);
});

test("a reason above the maximum length is truncated, and one of the maximum length is unchanged", () => {
  const { errorLengthMax } = senderLimits;
  const just = "x".repeat(errorLengthMax);
  assert.equal(noted({ kind: "failed", error: just }).error, just);
  const { error } = noted({ kind: "failed", error: `${just}y` });
  assert.equal(error, `${"x".repeat(errorLengthMax - 1)}…`);
});
