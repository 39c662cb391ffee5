/** JSON syntax check: position of the first error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonError } from "./json-error.ts";

test("an error is found exactly if JSON.parse rejects the text", () => {
  const texts = [
    "{}",
    "[]",
    "null",
    ' {"a": [1, -0.5e+3, "x\\u00e9\\n", true, {"b": null}]} ',
    '""',
    "0",
    "-1",
    "[[[]]]",
    '{"a":{}}',
    "",
    "{",
    "[",
    "[1,]",
    '{"a":1,}',
    "{a: 1}",
    "{'a': 1}",
    "[1 2]",
    "01",
    "1.",
    "+1",
    "tru",
    '"\n"',
    '"\\x"',
    '{"a" 1}',
    "[1]]",
    "1 2",
    "{]",
    "[}",
    '{"a":}',
    ",",
    '"',
    '{"a',
    "nul",
    "[,]",
    "{,}",
    "-",
  ];
  for (const text of texts) {
    let good = true;
    try {
      JSON.parse(text);
    } catch {
      good = false;
    }
    assert.equal(jsonError(text) === undefined, good, JSON.stringify(text));
  }
});

test("the position is that of the first invalid character", () => {
  assert.equal(jsonError('{"a": 1,\n "b": x}')?.at, 15);
  assert.equal(jsonError("[1, 2")?.at, 5);
  assert.match(jsonError('{"a": 1 "b": 2}')?.problem ?? "", /expected `,` or `}`/);
});

test("deep nesting gives an error, not a stack overflow", () => {
  assert.match(jsonError("[".repeat(500_000))?.problem ?? "", /nested/);
});
