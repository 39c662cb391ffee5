/** The database's clock: when an instance warns that its machine's clock differs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseClock } from "./clock.ts";
import { sharedLimits } from "./limits.ts";

const { offMsMax } = sharedLimits;

/** The warnings of a clock that learns these offsets of the database, in milliseconds. */
function warningsAt(...offsets: readonly number[]): readonly string[] {
  const warnings: string[] = [];
  for (const offsetMs of offsets) {
    const clock = new DatabaseClock(
      (message) => warnings.push(message),
      () => 1_000_000,
    );
    clock.learn(1_000_000, 1_000_000 + offsetMs, 1_000_000);
    assert.equal(clock.now(), 1_000_000 + offsetMs);
  }
  return warnings;
}

test("an offset up to the limit is followed without a warning", () => {
  assert.deepEqual(warningsAt(0, offMsMax - 1, offMsMax, -offMsMax), []);
});

test("an offset above the limit is followed and reported, in either direction", () => {
  const [behind, ahead] = warningsAt(offMsMax + 1, -offMsMax - 1);
  assert.match(behind ?? "", /^This machine's clock is 5\.0 seconds behind the database's\./);
  assert.match(ahead ?? "", /^This machine's clock is 5\.0 seconds ahead of the database's\./);
});

test("an offset is reported once, and again after the clocks agreed", () => {
  const warnings: string[] = [];
  const clock = new DatabaseClock(
    (message) => warnings.push(message),
    () => 0,
  );
  const learn = (offsetMs: number) => clock.learn(0, offsetMs, 0);
  learn(offMsMax + 1);
  learn(offMsMax + 2);
  assert.equal(warnings.length, 1);
  learn(0);
  learn(offMsMax + 1);
  assert.equal(warnings.length, 2);
});
