/** Synchronous-or-asynchronous work: order, results and errors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { after, mapInOrder, forEachInOrder, withRecovery } from "./awaitable.ts";

const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));
const failing = async (): Promise<never> => {
  throw new Error("no");
};

test("a value continues at once, a promise is awaited", async () => {
  assert.equal(
    after(1, (value) => value + 1),
    2,
  );
  assert.equal(await after(later(1), (value) => value + 1), 2);
});

test("steps run in order, with or without promises", async () => {
  for (const waits of [[], [1], [0, 2], [0, 1, 2]]) {
    const done: string[] = [];
    const step = (item: number) => {
      done.push(`begin ${item}`);
      const end = () => void done.push(`end ${item}`);
      return waits.includes(item) ? later(undefined).then(end) : end();
    };
    const walking = forEachInOrder([0, 1, 2], step);
    assert.equal(walking instanceof Promise, waits.length > 0);
    await walking;
    assert.deepEqual(done, ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"]);
  }
});

test("results are in the order of the items", async () => {
  assert.deepEqual(
    mapInOrder([1, 2], (item) => item * 2),
    [2, 4],
  );
  assert.deepEqual(
    await mapInOrder([1, 2, 3], (item) => (item === 2 ? later(item * 2) : item * 2)),
    [2, 4, 6],
  );
});

test("recovery handles a thrown error and a rejection", async () => {
  const messageOf = (error: unknown) => (error as Error).message;
  const throwing = () => {
    throw new Error("no");
  };
  assert.equal(withRecovery<string>(throwing, messageOf), "no");
  assert.equal(await withRecovery<string>(failing, messageOf), "no");
  assert.equal(
    withRecovery(() => "yes", messageOf),
    "yes",
  );
});
