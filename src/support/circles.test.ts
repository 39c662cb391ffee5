/** Dependency cycles in a graph. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { circlesIn } from "./circles.ts";

test("a circle begins and ends with the name that closes it", () => {
  assert.deepEqual(
    circlesIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]],
      ]),
    ),
    [["c", "a", "b", "c"]],
  );
  assert.deepEqual(circlesIn(new Map([["a", ["a"]]])), [["a", "a"]]);
});

test("ways that meet are no circle", () => {
  assert.deepEqual(
    circlesIn(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["d"]],
        ["c", ["d"]],
        ["d", []],
      ]),
    ),
    [],
  );
});

test("a graph of many ways is walked once", () => {
  const layers = 200;
  const steps = new Map(
    Array.from({ length: layers }, (_, at) => [
      `${at}`,
      at + 1 < layers ? [`${at + 1}`, `${Math.min(at + 2, layers - 1)}`] : [],
    ]),
  );
  assert.deepEqual(circlesIn(steps), []);
});
