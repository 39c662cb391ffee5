/** Side-by-side diff of expected and actual text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type SideRow, sideBySide } from "./side-by-side.ts";

const marks = { same: " ", differs: "≠", more: "+" } as const;
const shown = (rows: readonly SideRow[]) =>
  rows.map(({ expected, actual, verdict }) => `${expected ?? "∅"} ${marks[verdict]} ${actual ?? "∅"}`);

test("equal keys are paired in any order; unexpected ones are marked", () => {
  assert.deepEqual(
    shown(sideBySide('{"a": {{x}}, "b": {"c": 1}}', '{"b": {"c": 2, "d": 3}, "a": "p1"}', ["b.c"])),
    [
      "{   {",
      '  "a": "{{x}}"     "a": "p1"',
      '  "b": {     "b": {',
      '    "c": 1 ≠     "c": 2',
      '∅ +     "d": 3',
      "  }     }",
      "}   }",
    ],
  );
});

test("a missing line has no counterpart, and additional list elements differ", () => {
  assert.deepEqual(shown(sideBySide('{"a": 1}', "{}", ["a"])), ["{   {", '  "a": 1 ≠ ∅', "}   }"]);
  assert.deepEqual(shown(sideBySide("[1]", "[1, 2]", [""])), ["[   [", "  1     1", "∅ ≠   2", "]   ]"]);
  assert.deepEqual(shown(sideBySide('{"a": [1]}', '{"a": {"b": 1}}', ["a"])), [
    "{   {",
    '  "a": [1] ≠   "a": {"b":1}',
    "}   }",
  ]);
});

test("texts that aren't JSON are paired line by line", () => {
  assert.deepEqual(shown(sideBySide("one\ntwo", "one\nthree\nfour", [])), [
    "one   one",
    "two ≠ three",
    "∅ ≠ four",
  ]);
});

test("the number and the length of lines are limited", () => {
  const long = JSON.stringify(Array.from({ length: 5000 }, () => "x".repeat(1000)));
  const rows = sideBySide("[]", long, [""]);
  assert.ok(rows.length < 310, String(rows.length));
  assert.ok(rows.every(({ actual }) => (actual ?? "").length < 210));
});
