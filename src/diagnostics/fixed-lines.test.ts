/** Lines that a fix changes: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSource, positionOf } from "../source/source.ts";
import { fixedLines } from "./fixed-lines.ts";

const source = createSource("a.md", "- A: 1\r\n- B: 2\r\n- C: 3\r\n");

function linesOf(from: number, to: number, text: string) {
  return fixedLines(source, { position: positionOf(source, from, to), text });
}

test("an edit within a line changes that line", () => {
  assert.deepEqual(linesOf(13, 14, "5"), { line: 2, before: ["- B: 2"], after: ["- B: 5"] });
});

test("an inserted or removed line excludes its neighbours", () => {
  assert.deepEqual(linesOf(8, 8, "- X: 0\r\n"), { line: 2, before: [], after: ["- X: 0"] });
  assert.deepEqual(linesOf(14, 14, "\r\n- X: 0"), { line: 3, before: [], after: ["- X: 0"] });
  assert.deepEqual(linesOf(8, 16, ""), { line: 2, before: ["- B: 2"], after: [] });
});
