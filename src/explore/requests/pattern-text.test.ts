/** Pattern texts: drawn texts match their pattern. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDraw } from "../stories/draw.ts";
import { patternText } from "./pattern-text.ts";

const patterns = [
  "[A-Z]{2}\\d{4}",
  "sk_(test|live)_[0-9a-f]{8,}",
  "[^@ ]+@[a-z]+\\.(com|org)",
  "^#[0-9A-Fa-f]{6}$",
  "(?:\\d{1,3}\\.){3}\\d{1,3}",
  "[\\w.-]+",
  "a|b?c*",
  "",
];

test("drawn texts match their pattern", () => {
  const draw = createDraw(1);
  for (const pattern of patterns)
    for (let drawn = 0; drawn < 50; drawn += 1) {
      const text = patternText(pattern, draw);
      assert.match(text ?? "no text", new RegExp(`^(?:${pattern})$`, "u"));
    }
});

test("a pattern with a lookahead has no text", () => {
  assert.equal(patternText("(?=a)b", createDraw(1)), undefined);
});
