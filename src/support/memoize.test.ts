/** Memoization with bounded memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoize } from "./memoize.ts";

test("recent results are cached, at most twice as many as the limit", () => {
  const requested: string[] = [];
  const work = memoize((text) => {
    requested.push(text);
    return text.toUpperCase();
  }, 3);
  for (const text of ["a", "b", "a", "c", "a", "d"]) assert.equal(work(text), text.toUpperCase());
  assert.deepEqual(requested, ["a", "b", "c", "d"]);
  // `a` was read among the last three, so it moves from the older generation to the newer one.
  assert.equal(work("a"), "A");
  for (const text of ["e", "f", "g", "h"]) work(text);
  assert.equal(work("b"), "B");
  assert.deepEqual(requested, ["a", "b", "c", "d", "e", "f", "g", "h", "b"]);
});
