/** Filters: the bounded number of prepared queries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { remember, variantsMax } from "./filters.ts";

test("a full map replaces its oldest value, and makes none twice that it has", () => {
  const map = new Map<string, string>();
  const made: string[] = [];
  const value = (key: string) =>
    remember(map, key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  const keys = Array.from({ length: variantsMax + 2 }, (_, at) => `k${at}`);
  for (const key of keys) assert.equal(value(key), key.toUpperCase());
  assert.equal(map.size, variantsMax);
  assert.deepEqual(
    keys.filter((key) => !map.has(key)),
    ["k0", "k1"],
  );
  value("k2");
  assert.deepEqual(made, keys);
  value("k0");
  assert.deepEqual([made.at(-1), map.has("k2"), map.size], ["k0", false, variantsMax]);
});
