/** Stream position: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "../../store/store.ts";
import { positionOf } from "./stream-position.ts";
import type { Position } from "./stream-ids.ts";

const tail = (sequence: number) => `0000000${sequence}`;

/**
 * Creates a log with only these events. `last` is the highest sequence number that the log ever
 * used.
 */
function logOf(sequences: readonly number[], last = sequences.at(-1) ?? 0) {
  const events = sequences.map(
    (sequence): LoggedEvent => ({
      id: `ev_${tail(sequence)}`,
      sequence,
      type: "note.made",
      time: "2026-11-20T12:00:00.000Z",
      resource: "Note",
      row: sequence,
      subject: `${sequence}`,
      payload: "{}",
      record: null,
    }),
  );
  return {
    logSpan: () => ({ first: sequences[0] ?? last + 1, last }),
    eventsAfter: (sequence: number, most: number) =>
      events.filter((event) => event.sequence > sequence).slice(0, most),
  };
}

const ids: Readonly<Record<string, Position>> = {
  "of 3": { sequence: 3, tail: tail(3), isOld: false },
  "of 2": { sequence: 2, tail: tail(2), isOld: false },
  "of 9": { sequence: 9, tail: tail(9), isOld: false },
  "of another 3": { sequence: 3, tail: "ffffffff", isOld: false },
  "old of 3": { sequence: 3, tail: tail(3), isOld: true },
  "old of 2": { sequence: 2, tail: tail(2), isOld: true },
  "old of another 3": { sequence: 3, tail: "ffffffff", isOld: true },
  "old beginning": { sequence: 0, tail: null, isOld: true },
};
const place = (log: ReturnType<typeof logOf>, lastEventId?: string, start: null | number | string = null) =>
  positionOf(lastEventId, start, { log, ids: { read: (text) => ids[text] } });

test("a reader that reconnects continues after its last event", async () => {
  const { seen, ...found } = await place(logOf([1, 2, 3, 4]), "of 3");
  assert.deepEqual(found, { sequence: 3, tail: tail(3), isResumed: true });
  assert.equal(seen?.sequence, 3);
  assert.equal((await place(logOf([1, 2, 3]), "of 3")).reset, undefined);
  assert.equal((await place(logOf([1, 2, 3, 4]), "old of 3")).sequence, 3);
});

test("if the seen event is deleted and the next is stored, or none followed, nothing was missed", async () => {
  assert.deepEqual(await place(logOf([4, 5]), "of 3"), { sequence: 3, tail: tail(3), isResumed: true });
  assert.deepEqual(await place(logOf([], 3), "of 3"), { sequence: 3, tail: tail(3), isResumed: true });
});

test("if the next event is deleted too, the reader starts over and is informed", async () => {
  const expected = { sequence: 5, tail: tail(5), isResumed: false, reset: "expired" };
  assert.deepEqual(await place(logOf([5]), "of 3"), expected);
  assert.deepEqual(await place(logOf([], 5), "of 3"), { ...expected, tail: null });
});

test("an id of another log is unknown: of an event that never existed, of another event in its place, of no event", async () => {
  const anew = { sequence: 4, tail: tail(4), isResumed: false, reset: "unknown" };
  for (const id of ["of 9", "of another 3", "anything", "old of another 3"])
    assert.deepEqual(await place(logOf([1, 2, 3, 4]), id), anew, id);
});

test("a guessable id works for a stored event, and reveals nothing about the length of the log", async () => {
  for (const log of [logOf([3, 4]), logOf([4])])
    assert.equal((await place(log, "old of 2")).reset, "unknown");
  // The beginning of the log is no secret, so its id is accepted.
  assert.deepEqual(await place(logOf([1, 2]), "old beginning"), { sequence: 0, tail: null, isResumed: true });
  assert.equal((await place(logOf([2, 3]), "old beginning")).reset, "expired");
});

test("a new reader starts where `Starts` says: now, after a number, or after an event", async () => {
  const log = logOf([2, 3, 4]);
  const now = { sequence: 4, tail: tail(4), isResumed: false };
  assert.deepEqual(await place(log), now);
  assert.deepEqual(await place(log, undefined, 4), now);
  assert.deepEqual(await place(log, undefined, 99), now);
  assert.deepEqual(await place(log, undefined, 3), { sequence: 3, tail: tail(3), isResumed: false });
  assert.deepEqual(await place(log, undefined, 2.9), { sequence: 2, tail: tail(2), isResumed: false });
  // The event of that number was deleted, so the position has no tail.
  assert.deepEqual(await place(log, undefined, 1), { sequence: 1, tail: null, isResumed: false });
  for (const start of [0, -5])
    assert.deepEqual(await place(log, undefined, start), { sequence: 0, tail: null, isResumed: false });
  assert.deepEqual((await place(log, undefined, "of 2")).isResumed, true);
  assert.deepEqual(await place(log, undefined, "anything"), { ...now, reset: "unknown" });
  assert.deepEqual(await place(logOf([]), undefined), { sequence: 0, tail: null, isResumed: false });
});

test("a reader with an unknown position starts where `Starts` says, and is informed of the gap", async () => {
  assert.deepEqual(await place(logOf([2, 3, 4]), "anything", 2), {
    sequence: 2,
    tail: tail(2),
    isResumed: false,
    reset: "unknown",
  });
});
