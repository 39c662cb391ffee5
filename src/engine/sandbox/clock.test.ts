/** The clock of a data space: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMovableClock } from "../ports.ts";
import { createSandboxClock } from "./clock.ts";

test("a clock that was set continues at the speed of the machine's", () => {
  const machine = createMovableClock(1000);
  const clock = createSandboxClock(machine);
  assert.equal(clock.now(), 1000);
  clock.set(50_000);
  machine.moveBy(7);
  assert.equal(clock.now(), 50_007);
  clock.set(10);
  machine.moveBy(7);
  assert.equal(clock.now(), 17);
});

test("a stopped clock stands still, can be set, and continues from its time", () => {
  const machine = createMovableClock(1000);
  const clock = createSandboxClock(machine);
  clock.stop();
  machine.moveBy(500);
  assert.equal(clock.now(), 1000);
  clock.set(9000);
  machine.moveBy(500);
  assert.equal(clock.now(), 9000);
  clock.run();
  machine.moveBy(1);
  assert.equal(clock.now(), 9001);
  const again = createSandboxClock(machine, clock.state);
  assert.equal(again.now(), 9001);
});

test("callbacks run in the order of their times, as time passes and when the clock is set", () => {
  const machine = createMovableClock(0);
  const clock = createSandboxClock(machine);
  const called: string[] = [];
  clock.set(1000);
  clock.at(1300, () => called.push("third"));
  clock.at(1100, () => called.push("first"));
  clock.at(1200, () => called.push("second"));
  const takeBack = clock.at(1250, () => called.push("never"));
  takeBack();
  machine.moveBy(100);
  assert.deepEqual(called, ["first"]);
  clock.stop();
  machine.moveBy(10_000);
  assert.deepEqual(called, ["first"]);
  clock.set(5000);
  assert.deepEqual(called, ["first", "second", "third"]);
});

test("setting the clock changes the delay of waiting callbacks", () => {
  const machine = createMovableClock(0);
  const clock = createSandboxClock(machine);
  let called = 0;
  clock.at(100_000, () => {
    called += 1;
  });
  clock.set(99_990);
  machine.moveBy(9);
  assert.equal(called, 0);
  machine.moveBy(1);
  assert.equal(called, 1);
});

test("a callback for a past time runs soon, even if the clock is stopped", async () => {
  const machine = createMovableClock(0);
  const clock = createSandboxClock(machine);
  const called: string[] = [];
  machine.moveBy(10);
  machine.at(10, () => called.push("of the machine's"));
  machine.at(10, () => called.push("taken back"))();
  machine.at(11, () => called.push("not yet"));
  clock.stop();
  clock.at(5, () => called.push("of the one that stands still"));
  clock.at(11, () => called.push("not yet either"));
  assert.deepEqual(called, []);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(called, ["of the machine's", "of the one that stands still"]);
});

test("a timer that a callback sets fires, too", () => {
  const machine = createMovableClock(0);
  const clock = createSandboxClock(machine);
  const at: number[] = [];
  const next = () => {
    at.push(clock.now());
    if (at.length < 3) clock.at(clock.now() + 10, next);
  };
  clock.at(10, next);
  for (let passed = 0; passed < 40; passed += 1) machine.moveBy(1);
  assert.deepEqual(at, [10, 20, 30]);
});
