/** The state of an instance: serving, draining while the tables change, or superseded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PostgresConnection } from "../connection/connection.ts";
import { InstanceState } from "./serving-state.ts";

/** An instance on a server that the test controls, and the steps that it takes. */
function instance() {
  const server = { generation: "3", isFree: true, grants: true };
  const steps: string[] = [];
  const state = new InstanceState({
    generation: "3",
    onStop: async () => void steps.push("stopped"),
    onGoOn: () => void steps.push("went on"),
  });
  const connection = {
    go: async () => [[server.generation]],
    locks: {
      isFree: async () => server.isFree,
      async take() {
        steps.push("lock");
        return server.grants;
      },
      releaseAll: async () => void steps.push("unlocked"),
    },
  } as unknown as PostgresConnection;
  const polled = async () => {
    await state.poll(connection);
    return [state.now, ...steps.splice(0)];
  };
  return { server, state, polled };
}

test("an instance acquires its lock once, and again on each new connection", async () => {
  const { state, polled } = instance();
  assert.equal(state.now, "serving");
  assert.deepEqual(await polled(), ["serving", "lock"]);
  assert.deepEqual(await polled(), ["serving"]);
  state.begin();
  assert.deepEqual(await polled(), ["serving", "lock"]);
  assert.deepEqual(await polled(), ["serving"]);
});

test("an instance stops once while the tables are changed, and goes on afterwards", async () => {
  const { server, polled } = instance();
  await polled();
  server.isFree = false;
  assert.deepEqual(await polled(), ["draining", "stopped", "unlocked"]);
  assert.deepEqual(await polled(), ["draining"]);
  server.isFree = true;
  server.grants = false;
  assert.deepEqual(await polled(), ["draining", "lock"]);
  server.grants = true;
  assert.deepEqual(await polled(), ["serving", "lock", "went on"]);
  assert.deepEqual(await polled(), ["serving"]);
});

test("an instance without its lock stops", async () => {
  const { server, polled } = instance();
  server.grants = false;
  assert.deepEqual(await polled(), ["draining", "lock", "stopped", "unlocked"]);
});

test("an instance of another generation is superseded, and stays so", async () => {
  const { server, polled } = instance();
  await polled();
  server.generation = "4";
  assert.deepEqual(await polled(), ["superseded", "stopped", "unlocked"]);
  server.generation = "3";
  assert.deepEqual(await polled(), ["superseded"]);
});
