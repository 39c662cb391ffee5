/** Store files of a sandbox's data spaces: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileOfSpace } from "./space-file.ts";

test("each data space has a file of its own next to the default one, also on file systems that ignore case", () => {
  assert.equal(fileOfSpace("a/desk.db", "default"), "a/desk.db");
  assert.equal(fileOfSpace("a/desk.db", "blue"), "a/desk.space-blue.db");
  assert.equal(fileOfSpace("a.b/desk", "blue"), "a.b/desk.space-blue");
  assert.equal(fileOfSpace(":memory:", "blue"), null);
  const names = ["Blue", "bLue", "blue", "blue.1", "blue_1", "blue-1", "blue~", "Default"];
  const files = names.map((name) => fileOfSpace("desk.db", name)?.toLowerCase());
  assert.equal(new Set(files).size, names.length);
});
