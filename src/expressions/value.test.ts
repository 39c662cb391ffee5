/** Run-time values of expressions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partAt } from "./value.ts";

test("a part is found by its nested names, or nothing is found", () => {
  const value = { a: { b: [1], c: null }, d: "text" };
  assert.deepEqual(partAt(value, ["a", "b"]), [1]);
  assert.equal(partAt(value, ["a", "c"]), null);
  assert.equal(partAt(value, []), value);
  for (const names of [["e"], ["e", "f"], ["a", "c", "x"], ["a", "b", "0"], ["d", "length"]])
    assert.equal(partAt(value, names), undefined, names.join("."));
  assert.equal(partAt(undefined, ["a"]), undefined);
});
