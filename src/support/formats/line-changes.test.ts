/** Line changes between two texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineChanges } from "./line-changes.ts";

/** The old text with its changes applied. */
function applied(old: string, changes: ReturnType<typeof lineChanges>): string {
  const lines = old.split("\n");
  for (const { line, before, after } of changes.toReversed()) lines.splice(line - 1, before.length, ...after);
  return lines.join("\n");
}

test("changes convert one text to the other, and are small", () => {
  const old = "a\n\nb\nc\n\nd\ne";
  for (const now of [old, "a\n\nb\nx\n\nd\ne", "a\nb\nc\n\nd\ne\nf", "", "x\ny", "a\n\nb\nnew\nc\n\ne"])
    assert.equal(applied(old, lineChanges(old, now)), now, now);
  assert.deepEqual(lineChanges(old, old), []);
  assert.deepEqual(lineChanges("a\nb\nc", "a\nx\nc"), [{ line: 2, before: ["b"], after: ["x"] }]);
  assert.deepEqual(lineChanges("a\nc", "a\nb\nc"), [{ line: 2, before: [], after: ["b"] }]);
});
