/** A commit is judged by what it is, not by luck: random tests draw from one seed that stays the same. */
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

/** When a service is killed, and what of a delivery fails, must not be the same each time; what is looked for afterwards holds whenever it was. */
const byChance = ["test/durability/deliveries.ts", "test/durability/kill.ts"];

test("no test throws dice of its own", () => {
  assert.deepEqual(
    tests.filter((path) => /\bMath\.random\b/.test(codeOf(path))),
    byChance,
  );
});
