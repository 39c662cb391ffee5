/** Settings of timers: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stagesOf, type TimerRule } from "./timer-setting.ts";

const rulesOf = (transition: string): readonly TimerRule[] => [{ transition, end: 0, from: "any" }];

test("records up to a row have other rules than those after it, after each stopped start", () => {
  const [first, second, third] = ["first", "second", "third"].map(rulesOf);
  assert.ok(first && second && third);
  const last = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(stagesOf({ rules: first }), [{ after: 0, upTo: last, rules: first }]);
  const stopped = { rules: second, row: 7, before: first };
  assert.deepEqual(stagesOf(stopped), [
    { after: 0, upTo: 7, rules: second },
    { after: 7, upTo: last, rules: first },
  ]);
  assert.deepEqual(stagesOf({ rules: third, row: 3, before: stopped }), [
    { after: 0, upTo: 3, rules: third },
    { after: 3, upTo: 7, rules: second },
    { after: 7, upTo: last, rules: first },
  ]);
});
