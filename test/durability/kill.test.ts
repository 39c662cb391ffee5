/** Two rounds of `kill.ts` for every test run. Run more by hand, and before a release. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killRounds } from "./kill.ts";

for (const where of ["file", "postgres"] as const)
  test(`acknowledged writes survive kill -9, and no write is applied in part or twice: ${where}`, async () => {
    const counts = await killRounds(2, undefined, where);
    assert.equal(counts.rounds, 2);
    assert.ok(counts.made + counts.madeUnderKey > 0, "nothing was made");
    assert.ok(counts.collected > 0, "nothing was collected");
    const { lost, half, twice } = counts;
    assert.deepEqual({ lost, half, twice }, { lost: 0, half: 0, twice: 0 });
  });
