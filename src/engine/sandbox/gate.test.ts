/** Request gate: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMovableClock } from "../ports.ts";
import { createGate } from "./gate.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("work starts after all requests have left, and no request enters until it finishes", async () => {
  const gate = createGate(createMovableClock(0));
  const messages: string[] = [];
  const leave = await gate.enter();
  let end = () => {};
  const work = gate.hold(
    1000,
    async () => {
      messages.push("begins");
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      messages.push("ends");
      return 7;
    },
    () => messages.push("shut"),
  );
  const later = gate.enter().then((leaveLater) => {
    messages.push("in");
    return leaveLater;
  });
  await turn();
  assert.deepEqual(messages, ["shut"]);
  leave();
  leave();
  await turn();
  assert.deepEqual(messages, ["shut", "begins"]);
  end();
  assert.equal(await work, 7);
  (await later)();
  assert.deepEqual(messages, ["shut", "begins", "ends", "in"]);
  assert.equal(gate.inside, 0);
});

test("the gate waits for a request that doesn't leave only for the stated time", async () => {
  const machine = createMovableClock(0);
  const gate = createGate(machine);
  await gate.enter();
  let hasStarted = false;
  const work = gate.hold(1000, async () => {
    hasStarted = true;
  });
  machine.moveBy(999);
  await turn();
  assert.equal(hasStarted, false);
  machine.moveBy(1);
  await work;
  assert.equal(hasStarted, true);
});

test("works run one after another, and the gate opens again after a failed one", async () => {
  const gate = createGate(createMovableClock(0));
  const messages: number[] = [];
  const works = [1, 2, 3].map((number) =>
    gate.hold(1000, async () => {
      messages.push(number);
      await turn();
      messages.push(number);
      if (number === 2) throw new Error("no");
    }),
  );
  await Promise.allSettled(works);
  assert.deepEqual(messages, [1, 1, 2, 2, 3, 3]);
  (await gate.enter())();
});
