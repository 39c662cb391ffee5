/** Order and dates of versions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newestFirst } from "./version-order.ts";

function order(names: readonly string[], current = ""): string[] {
  return newestFirst(names.map((name) => ({ name, status: name === current ? "current" : "supported" }))).map(
    (version) => version.name,
  );
}

test("dates and numbers order themselves, whatever the table's order", () => {
  assert.deepEqual(order(["2026-03-01", "2026-11-01", "2025-12-31"]), [
    "2026-11-01",
    "2026-03-01",
    "2025-12-31",
  ]);
  assert.deepEqual(order(["v2", "v10", "v1"]), ["v10", "v2", "v1"]);
  assert.deepEqual(order(["1.2", "1.10", "1"]), ["1.10", "1.2", "1"]);
});

test("other names have the table's order, starting at the side of the current version", () => {
  assert.deepEqual(order(["acacia", "basil", "clover"], "clover"), ["clover", "basil", "acacia"]);
  assert.deepEqual(order(["clover", "basil", "acacia"], "clover"), ["clover", "basil", "acacia"]);
  assert.deepEqual(order(["v2", "2026-01-01", "v1"], "v2"), ["v2", "2026-01-01", "v1"]);
  assert.deepEqual(order(["one"], "one"), ["one"]);
});
