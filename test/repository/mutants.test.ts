/** What `npm run mutate` plants, and whom it asks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { mutantsOf } from "../../scripts/mutate/mutants.ts";
import { createReach } from "../../scripts/mutate/reach.ts";

const root = join(import.meta.dirname, "../..");

test("single faults are those of operators, conditions and statements, and types stay as they are", () => {
  const text = "export function f(a: 1 | 2): boolean { if (a > 1) g(a); return !h && true; }";
  const planted = mutantsOf("f.ts", text).map(
    ({ start, end, replacement }) => `${text.slice(start, end)} → ${replacement}`,
  );
  assert.deepEqual(planted.sort(), [
    "!h && true → (!h || true)",
    "!h → (h)",
    "a > 1 → (a >= 1)",
    "a > 1 → false",
    "a > 1 → true",
    "g(a); → {}",
    "true → false",
  ]);
});

test("the tests that reach a file are found, the nearest first", () => {
  const [first] = createReach(root).testsOf(join(root, "src/engine/limits/rates.ts"));
  assert.equal(first, join(root, "src/engine/limits/rates.test.ts"));
});
