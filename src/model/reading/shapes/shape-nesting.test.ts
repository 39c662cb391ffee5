/** Shape nesting: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { oversizedShapes, shapeDepthMax } from "./shape-nesting.ts";

function chain(length: number, body: (next: string) => string): Map<string, string> {
  return new Map(
    Array.from({ length }, (_, at) => [`S${at}`, at === length - 1 ? "1" : body(`S${at + 1}(this)`)]),
  );
}

test("shapes may nest as deep as the ceiling, and no deeper", () => {
  assert.deepEqual([...oversizedShapes(chain(shapeDepthMax, (next) => `{"a": ${next}}`))], []);
  assert.deepEqual([...oversizedShapes(chain(shapeDepthMax + 1, (next) => `{"a": ${next}}`))], ["S0"]);
});

test("a shape that doubles another counts it twice", () => {
  assert.deepEqual([...oversizedShapes(chain(9, (next) => `[${next}, ${next}]`))], []);
  assert.deepEqual([...oversizedShapes(chain(10, (next) => `[${next}, ${next}]`))], ["S0"]);
});

test("circular shapes terminate the search", () => {
  const shapes = new Map([
    ["A", "B(this)"],
    ["B", "A(this)"],
    ["C", "merge(C(this), {})"],
  ]);
  assert.deepEqual([...oversizedShapes(shapes)], []);
});
