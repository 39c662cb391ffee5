/** Captures in scenarios: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCaptures, withoutBareCaptures } from "./captures.ts";

test("captures are found with their types", () => {
  const { captures, unreadable } = readCaptures(
    '{"id": "{{parcel}}", "n": {{count: integer}}, "x": "{{*}}", "y": "{{ * : timestamp }}"}',
  );
  assert.deepEqual(
    captures.map(({ name, type }) => [name, type]),
    [
      ["parcel", undefined],
      ["count", "integer"],
      ["*", undefined],
      ["*", "timestamp"],
    ],
  );
  assert.deepEqual(unreadable, []);
});

test("a malformed capture is reported", () => {
  assert.equal(readCaptures("{{parcel}").unreadable.length, 1);
  assert.equal(readCaptures("{{two words}}").unreadable.length, 1);
  assert.equal(readCaptures('{"a": {"b": {}}}').unreadable.length, 0);
});

test("a bare capture becomes a value of the same length, and one in a string stays", () => {
  const text = '{"a": {{x}}, "b": "\\"{{y}}", "c": [{{*}}]}';
  const plain = withoutBareCaptures(text);
  assert.equal(plain.length, text.length);
  assert.deepEqual(JSON.parse(plain), { a: null, b: '"{{y}}', c: [null] });
});
