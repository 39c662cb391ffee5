/** Guard parts: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conjunctTexts } from "./guard-parts.ts";

test("a guard is split at each top-level &&", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["a", ["a"]],
    ["a && b", ["a", "b"]],
    ["a&&b && c", ["a", "b", "c"]],
    ["a && (b && c)", ["a", "b", "c"]],
    ["((a && b))", ["a", "b"]],
    ["(a) && (b)", ["a", "b"]],
    ["a && (b || c)", ["a", "b || c"]],
    ["a && b || c", ["a && b || c"]],
    ["a ? b && c : d", ["a ? b && c : d"]],
    ['x == "a && b" && y', ['x == "a && b"', "y"]],
    ["x == 'it\\'s && so' && y", ["x == 'it\\'s && so'", "y"]],
    ["xs.all(x, x > 1 && x < 3) && y", ["xs.all(x, x > 1 && x < 3)", "y"]],
    ['{"a": b && c} == d && e', ['{"a": b && c} == d', "e"]],
  ];
  for (const [text, parts] of cases) assert.deepEqual(conjunctTexts(text), parts, text);
});
