/**
 * fast-check for all tests, with a seed that stays the same: what the gate says of a commit must not depend on luck. Looking for more
 * is done by hand, with other seeds and more runs:
 *
 *   NINEFOLD_SEED=7 NINEFOLD_RUNS=20 node --test "src/**\/*.test.ts"
 */
import fc from "fast-check";

/** What the gate uses; any number would do. */
const standing = 20261121;

export const seed = Number(process.env["NINEFOLD_SEED"] ?? standing);

/** How many times as many runs as in the gate. */
const factor = Number(process.env["NINEFOLD_RUNS"] ?? 1);

fc.configureGlobal({ seed, numRuns: 100 * factor });

/** @param runs in the gate */
export function times(runs: number): number {
  return runs * factor;
}

export { fc };
