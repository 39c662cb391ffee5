/** Wake-ups after commits: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../../store/store.ts";
import { openTestStore } from "../../store/test-files.ts";
import { model } from "../../store/test-model.ts";
import { silentLog } from "../ports.ts";
import { createWakeUps } from "./wake-ups.ts";

const event = (id: string): NewEvent => ({
  id,
  type: "thing.made",
  time: "2026-11-20T10:00:00.000Z",
  resource: "Thing",
  row: 1,
  subject: "1",
  payload: "null",
});

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a waiter for events is woken once for the commits of a tick, and not by commits without events", async (t) => {
  const store = await openTestStore(t, model([]));
  const wake = createWakeUps(store, silentLog);
  const messages: string[] = [];
  const forget = wake.onEvents(() => messages.push("events"));
  wake.onChanges(() => messages.push("changes"));
  await store.write(async ({ system }) => system.setSetting("a", "1"));
  await aTurn();
  assert.deepEqual(messages.splice(0), ["changes"]);
  await Promise.all(
    ["1", "2"].map((id) => store.write(async ({ system }) => void (await system.appendEvents([event(id)])))),
  );
  await aTurn();
  assert.deepEqual(messages.splice(0), ["events", "changes"]);
  // A change that is rolled back wakes no listener.
  await assert.rejects(
    store.write(async ({ system }) => {
      await system.appendEvents([event("3")]);
      throw new Error("no");
    }),
  );
  await aTurn();
  assert.deepEqual(messages.splice(0), []);
  forget();
  await store.write(async ({ system }) => void (await system.appendEvents([event("4")])));
  await aTurn();
  assert.deepEqual(messages.splice(0), ["changes"]);
  wake.stop();
  await store.write(async ({ system }) => void (await system.appendEvents([event("5")])));
  await aTurn();
  assert.deepEqual(messages, []);
});

test("a listener that fails does not prevent the call of the others", async (t) => {
  const store = await openTestStore(t, model([]));
  const errors: string[] = [];
  const wake = createWakeUps(store, { ...silentLog, error: (_fields, message) => errors.push(message) });
  let woken = 0;
  wake.onEvents(() => {
    throw new Error("broken");
  });
  wake.onEvents(() => (woken += 1));
  await store.write(async ({ system }) => void (await system.appendEvents([event("1")])));
  await aTurn();
  assert.deepEqual([woken, errors.length], [1, 1]);
});

test("the log is read from any position, oldest first and at most as many events as requested", async (t) => {
  const store = await openTestStore(t, model([]));
  const { system } = store.session;
  assert.deepEqual(await system.logSpan(), { first: null, last: 0 });
  await store.write(async (transaction) => {
    await transaction.system.appendEvents(["1", "2", "3", "4"].map(event));
  });
  const ids = async (after: number, limit: number) =>
    (await system.eventsAfter(after, limit)).map(
      (loggedEvent) => `${loggedEvent.sequence}:${loggedEvent.id}`,
    );
  assert.deepEqual(await ids(0, 2), ["1:1", "2:2"]);
  assert.deepEqual(await ids(2, 9), ["3:3", "4:4"]);
  assert.deepEqual(await ids(4, 9), []);
  assert.deepEqual(await system.logSpan(), { first: 1, last: 4 });
});
