/** Insertion-ordered map for a few keys. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SmallMap } from "./small-map.ts";

test("a small map behaves like a Map with insertion order", () => {
  const small = new SmallMap<number>([
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ]);
  small.set("c", 4);
  small.delete("b");
  small.delete("nothing");
  small.set("b", 5);
  const entries = [
    ["a", 3],
    ["c", 4],
    ["b", 5],
  ];
  assert.deepEqual([...small], entries);
  const seen: [string, number][] = [];
  small.forEach((value, key) => {
    seen.push([key, value]);
  });
  assert.deepEqual(seen, entries);
  assert.equal(small.get("a"), 3);
  assert.equal(small.get("d"), undefined);
  assert.ok(small.has("c") && !small.has("d"));
});
