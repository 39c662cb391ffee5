/** Random tests use one fixed seed, so that the result for a commit doesn't depend on chance. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, filesUnder, importsOf } from "./repository.ts";

const tests = [...filesUnder("test", ".ts"), ...filesUnder("src", ".test.ts")];

test("only test/fixed-seed.ts imports fast-check, so that no test forgets the seed", () => {
  assert.deepEqual(
    tests.filter((path) => importsOf(path).includes("fast-check")),
    ["test/fixed-seed.ts"],
  );
});

/**
 * The time of a kill and the failures of deliveries must vary; the assertions hold for any of them.
 */
const byChance = ["test/durability/deliveries.ts", "test/durability/kill.ts"];

test("no test has its own random numbers", () => {
  assert.deepEqual(
    tests.filter((path) => /\bMath\.random\b/.test(codeOf(path))),
    byChance,
  );
});
