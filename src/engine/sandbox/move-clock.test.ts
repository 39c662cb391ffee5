/** Moves of a data space's clock: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMovableClock } from "../ports.ts";
import { createSandboxClock } from "./clock.ts";
import { moveClock } from "./move-clock.ts";

/** Creates due work, each piece of which may make other work due. */
function world(...due: number[]) {
  const clock = createSandboxClock(createMovableClock(0));
  clock.stop();
  const done: [due: number, at: number][] = [];
  const follows = new Map<number, number>();
  return {
    clock,
    done,
    follows,
    options: {
      nextDue: async (afterMs: number) =>
        due.filter((time) => time > afterMs).toSorted((a, b) => a - b)[0] ?? null,
      runDueWork: async () => {
        for (const time of due.filter((candidate) => candidate <= clock.now())) {
          due.splice(due.indexOf(time), 1);
          done.push([time, clock.now()]);
          const next = follows.get(time);
          if (next !== undefined) due.push(next);
        }
      },
      isTimeOver: () => false,
    },
  };
}

test("due work runs at its own time, and so does the work that it makes due", async () => {
  const { clock, done, follows, options } = world(30, 10, 50);
  follows.set(10, 20);
  follows.set(20, 60);
  assert.equal(await moveClock(clock, 50, options), true);
  assert.deepEqual(done, [
    [10, 10],
    [20, 20],
    [30, 30],
    [50, 50],
  ]);
  assert.equal(clock.now(), 50);
  assert.equal(await options.nextDue(50), 60);
});

test("a move that takes too long stops on its way, and can be continued", async () => {
  const { clock, done, options } = world(10, 20, 30);
  const isTimeOver = () => done.length === 2;
  assert.equal(await moveClock(clock, 100, { ...options, isTimeOver }), false);
  assert.equal(clock.now(), 20);
  assert.equal(await moveClock(clock, 100, options), true);
  assert.deepEqual(done.at(-1), [30, 30]);
  assert.equal(clock.now(), 100);
});
