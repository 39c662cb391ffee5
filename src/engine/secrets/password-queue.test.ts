/** Password queue: unit tests. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SharedPasswordQueue, passwordLimits } from "./password-queue.ts";
import { type PasswordRequester, createMovableClock } from "../ports.ts";
import { Problem } from "../problem.ts";

/**
 * Creates a queue with one worker whose tasks finish on demand; `started` lists the started tasks.
 */
function world() {
  const clock = createMovableClock(0);
  const queue = new SharedPasswordQueue(clock, 1);
  const started: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const enqueue = (name: string, client: Partial<PasswordRequester> = {}): void => {
    const work = () =>
      new Promise<void>((resolve) => {
        started.push(name);
        ends.push(resolve);
      });
    queue.run({ address: "one", account: name, ...client }, work).catch((error: unknown) => {
      assert.ok(error instanceof Problem && error.details[0].condition === "unavailable");
      refused.push(name);
    });
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Finishes the running task, this number of times. */
  const end = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      ends.shift()?.();
      await settle();
    }
  };
  return { clock, queue, started: started, refused, enqueue: enqueue, end, settle };
}

describe("the password queue", () => {
  test("addresses alternate, and within an address its accounts do", async () => {
    const { started, enqueue, end } = world();
    enqueue("first");
    for (const name of ["a1", "a2", "a3"]) enqueue(name, { address: "flood", account: "a" });
    enqueue("b1", { address: "flood", account: "b" });
    enqueue("c1", { address: "calm", account: "c" });
    await end(3);
    assert.deepEqual(started, ["first", "a1", "c1", "a2"]);
    await end(2);
    assert.deepEqual(started.slice(4), ["b1", "a3"]);
  });

  test("clients that failed lately come after the others, and every fourth task is the one that waits longest", async () => {
    const { queue, started, enqueue, end } = world();
    queue.note({ address: "guessing", account: "x" }, false);
    enqueue("first");
    enqueue("guess", { address: "guessing", account: "x" });
    enqueue("neighbour", { address: "guessing", account: "y" });
    for (const name of ["one", "two", "three", "four", "five"]) enqueue(name, { address: name });
    await end(7);
    assert.deepEqual(started, ["first", "one", "two", "guess", "three", "four", "five", "neighbour"]);
  });

  test("a correct password clears its account, and a minute clears its address", async () => {
    const { clock, queue, started, enqueue, end } = world();
    const home = { address: "home", account: "ada" };
    queue.note(home, false);
    queue.note(home, true);
    enqueue("first");
    enqueue("ada elsewhere", { address: "office", account: "ada" });
    enqueue("home", home);
    enqueue("other", { address: "other" });
    await end(3);
    assert.deepEqual(started, ["first", "ada elsewhere", "other", "home"]);
    clock.moveBy(passwordLimits.failureMs);
    enqueue("home again", home);
    enqueue("another", { address: "another" });
    await end(2);
    assert.deepEqual(started.slice(4), ["home again", "another"]);
  });

  test("a task that waits too long is rejected, and that of a disconnected client does not run", async () => {
    const { clock, started, refused, enqueue, end, settle } = world();
    const leaving = new AbortController();
    enqueue("first");
    enqueue("late", { address: "late" });
    clock.moveBy(passwordLimits.waitMs);
    enqueue("gone", { address: "gone", signal: leaving.signal });
    enqueue("next", { address: "next" });
    leaving.abort();
    clock.moveBy(1);
    await end();
    await settle();
    assert.deepEqual(
      [started, refused],
      [
        ["first", "next"],
        ["late", "gone"],
      ],
    );
  });

  test("the queue is bounded, with a lower bound for clients that failed, so that others still enter", async () => {
    const { queue, refused, enqueue, settle } = world();
    const { waitingMax, failingWaitingMax, failingTwiceWaitingMax } = passwordLimits;
    queue.note({ address: "guessing", account: "x" }, false);
    enqueue("running");
    const fill = (count: number, name: string, client: Partial<PasswordRequester>) => {
      for (let at = 0; at < count; at += 1) enqueue(name, client);
    };
    fill(failingTwiceWaitingMax + 7, "guess", { address: "guessing", account: "x" });
    fill(failingWaitingMax + 8, "neighbour", { address: "guessing", account: "y" });
    fill(waitingMax - failingTwiceWaitingMax - failingWaitingMax + 9, "calm", { address: "calm" });
    await settle();
    const count = (name: string) => refused.filter((candidate) => candidate === name).length;
    assert.deepEqual([count("guess"), count("neighbour"), count("calm")], [7, 8, 9]);
  });
});
