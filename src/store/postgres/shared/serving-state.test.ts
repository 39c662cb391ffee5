/** Admission of work: only while the instance serves, and a stop waits for what runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../errors.ts";
import { ServingGate, type ServingState } from "./serving-state.ts";

/** Whether a promise is settled once all work of this tick is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("a stop waits for all running work, whether it succeeds or fails", async () => {
  const gate = new ServingGate();
  const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const running = [gate.enter(() => first.promise), gate.enter(() => second.promise)];
  const results = Promise.allSettled(running);
  const stopped = gate.shut("draining");
  assert.equal(await isSettled(stopped), false);
  first.resolve(1);
  assert.equal(await isSettled(stopped), false);
  second.reject(new Error("failed"));
  assert.equal(await isSettled(stopped), true);
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
});

test("a stop without running work is immediate, before the first and after the last", async () => {
  const gate = new ServingGate();
  assert.equal(await isSettled(gate.shut("draining")), true);
  gate.open();
  assert.equal(await gate.enter(async () => 1), 1);
  assert.equal(await isSettled(gate.shut("draining")), true);
});

test("a stopped instance rejects work with the reason, and accepts it when it serves again", async () => {
  const gate = new ServingGate();
  const words: Readonly<Record<Exclude<ServingState, "serving">, RegExp>> = {
    draining: /^The tables are being changed for another version of the document\.$/,
    superseded: /: replace this instance\.$/,
  };
  for (const state of ["draining", "superseded"] as const) {
    await gate.shut(state);
    await assert.rejects(
      gate.enter(() => assert.fail("no work runs")),
      (error) => error instanceof StoreUnavailable && error.retryable && words[state].test(error.message),
    );
  }
  gate.open();
  assert.equal(await gate.enter(async () => 2), 2);
});
