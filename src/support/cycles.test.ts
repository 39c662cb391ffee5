/** Dependency cycles in a graph. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cyclesIn } from "./cycles.ts";

test("a cycle starts and ends with the name that closes it", () => {
  assert.deepEqual(
    cyclesIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]],
      ]),
    ),
    [["c", "a", "b", "c"]],
  );
  assert.deepEqual(cyclesIn(new Map([["a", ["a"]]])), [["a", "a"]]);
});

test("paths that meet are not a cycle", () => {
  assert.deepEqual(
    cyclesIn(
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

test("a graph with many paths is traversed once", () => {
  const layers = 200;
  const steps = new Map(
    Array.from({ length: layers }, (_, at) => [
      `${at}`,
      at + 1 < layers ? [`${at + 1}`, `${Math.min(at + 2, layers - 1)}`] : [],
    ]),
  );
  assert.deepEqual(cyclesIn(steps), []);
});
