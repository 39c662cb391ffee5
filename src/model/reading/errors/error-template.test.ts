/** Message templates (3.7): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parseTemplate } from "./error-template.ts";

function read(text: string): unknown {
  const pieces = parseTemplate(phraseOf(createSource("a.md", text), 0, text.length));
  if ("unclosed" in pieces) return { unclosed: pieces.unclosed.start };
  return pieces.map((piece) => (typeof piece === "string" ? piece : [piece.text, piece.start]));
}

test("expressions are in braces, and the rest is text", () => {
  assert.deepEqual(read("The parcel is {this.status}, so no."), [
    "The parcel is ",
    ["this.status", 15],
    ", so no.",
  ]);
  assert.deepEqual(read("{error.field}"), [["error.field", 1]]);
  assert.deepEqual(read("plain"), ["plain"]);
  assert.deepEqual(read(""), []);
});

test("braces inside an expression, in a map or in quotes, don't end it", () => {
  assert.deepEqual(read('a {{"x": 1}.x} b'), ["a ", ['{"x": 1}.x', 3], " b"]);
  assert.deepEqual(read('{"{"}'), [['"{"', 1]]);
  assert.deepEqual(read("a } b"), ["a } b"]);
});

test("a brace that is never closed is found", () => {
  assert.deepEqual(read("ab {error.field"), { unclosed: 3 });
});
