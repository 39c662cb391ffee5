/** Time of the local target: it passes for held responses, and never without end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMovableClock, type MovableClock } from "../engine/ports.ts";
import { advanceWhileHeld } from "./local-target.ts";

/** A service with one held response. Counts how often due work was run. */
function holding() {
  const counts = { settled: 0 };
  const waits = { held: 1, onHeld: () => () => {}, hold: async () => {}, drain() {} };
  const timers = {
    async runAllDue() {
      counts.settled += 1;
    },
  };
  const internals = { shared: { waits }, timers } as unknown as Parameters<
    typeof advanceWhileHeld
  >[0]["internals"];
  return { counts, service: { internals } };
}

const manyTurns = async () => {
  for (let turns = 0; turns < 2_000; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("without due work, the response is awaited and the service isn't polled", async () => {
  const { counts, service } = holding();
  let answer: (text: string) => void = () => {};
  const answering = advanceWhileHeld(
    service,
    createMovableClock(0),
    new Promise<string>((resolve) => (answer = resolve)),
  );
  await manyTurns();
  answer("at last");
  assert.equal(await answering, "at last");
  assert.ok(counts.settled < 10, `checked ${counts.settled} times`);
});

test("work that stays due at the same time is reported as a fault", async () => {
  const { service } = holding();
  const clock: MovableClock = createMovableClock(0);
  const again = () => void clock.at(clock.now(), again);
  again();
  await assert.rejects(
    advanceWhileHeld(service, clock, new Promise<string>(() => {})),
    /the clock can't advance/,
  );
});
