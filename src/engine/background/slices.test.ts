/** Slices of due transitions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { request, minuteMs, openAsleep } from "../../../test/durability/due/walk.ts";
import { StoreUnavailable } from "../../store/errors.ts";
import type { Store } from "../../store/store.ts";
import { createSlices, readDueTimers } from "./slices.ts";

/** Each record of both resources has two times at the same moment. */
const model = libraryModel({
  authentication: "- Scheme: none",
  resources: ["Ant", "Bee"]
    .map(
      (name) => `### ${name}

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| note | string | |
| status | state | |`,
    )
    .join("\n\n"),
  states: ["Ant", "Bee"]
    .map(
      (name) => `### ${name}

- State field: status
- Initial state: young

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| wane | young | old | after 5 minutes | \`this.note == "wane"\` |
| age | young | old | after 5 minutes | \`this.note == "age"\` |`,
    )
    .join("\n\n"),
  endpoints: ["Ant", "Bee"]
    .map(
      (name) => `### POST /${name.toLowerCase()}s

- Does: create ${name}
- Body: note?
- Returns: 201 ${name}`,
    )
    .join("\n\n"),
  events: "- Webhooks: none\n- Notifications: none",
});

test("due transitions of some resources have the same order as among those of all resources", async () => {
  const { service, store, clock, close } = await openAsleep(model);
  for (const path of ["/bees", "/ants", "/bees", "/ants"]) {
    await request(service, { method: "POST", target: path, body: {} });
    if (path === "/ants") clock.moveBy(1000);
  }
  const { system } = store.session;
  clock.moveBy(6 * minuteMs);
  const all = await system.dueTimers(clock.now(), 100);
  assert.equal(all.length, 8);
  for (const resources of [
    ["Ant", "Bee"],
    ["Bee", "Ant"],
  ])
    for (const limit of [1, 3, 100])
      assert.deepEqual(await readDueTimers(system, { resources }, clock.now(), limit), all.slice(0, limit));
  assert.deepEqual(await readDueTimers(system, {}, clock.now(), 100), all);
  assert.deepEqual(await readDueTimers(system, { resources: [] }, clock.now(), 100), []);
  const bees = all.filter(({ resource }) => resource === "Bee");
  assert.deepEqual(await readDueTimers(system, { resources: ["Bee"] }, clock.now(), 100), bees);
  const second = bees.filter(({ row }) => row === 2);
  assert.deepEqual(await readDueTimers(system, { resources: ["Bee"], row: 2 }, clock.now(), 100), second);
  await close();
});

/** Due records create events in order; one of them violates an invariant. */
const library = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Ant

- Identifier: id, made by \`sequence()\`
- Always: \`this.status != "old" || this.note != "never"\`

| Field | Type | Rules |
|---|---|---|
| note | string | |
| status | state | |

### Word

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |`,
  states: `### Ant

- State field: status
- Initial state: young

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| age | young | old | after 5 minutes | | \`create Word with text = "age " + string(this.id)\` |
| die | old | dead | after 10 minutes | | \`create Word with text = "die " + string(this.id)\` |`,
  endpoints: `### POST /ants

- Does: create Ant
- Body: note?
- Returns: 201 Ant

### GET /words

- Does: list Word
- Returns: 200 list of Word`,
  events: "- Webhooks: none\n- Notifications: none",
});

async function ants() {
  const opened = await openAsleep(library);
  const { service, store, clock } = opened;
  const { context, newFrame } = service.internals;
  const armed: number[] = [];
  /** @param over members that replace those of the store */
  const slices = (over: Partial<Store> = {}) =>
    createSlices(
      // No time passes, so only the maximum number limits a slice.
      { ...context, ports: { ...context.ports, stopwatch: () => 0 }, store: { ...store, ...over } },
      [],
      newFrame,
      (at) => armed.push(at),
    );
  const make = async (count: number, note?: string) => {
    for (let at = 0; at < count; at += 1)
      await request(service, { method: "POST", target: "/ants", body: note === undefined ? {} : { note } });
  };
  const words = async (): Promise<readonly string[]> => {
    const { reported: answer } = await request(service, { method: "GET", target: "/words" });
    return (answer as readonly { readonly text: string }[]).map(({ text }) => text);
  };
  const due = async () => (await store.session.system.dueTimers(clock.now(), 2000)).length;
  const write: Store["write"] = (work, options) => store.write(work, options);
  return { ...opened, slices, make, words, due, armed, write, startedMs: clock.now() };
}

test("a write runs due transitions in order, up to its maximum, and returns whether more may be due", async () => {
  const { slices, make, words, due, armed, clock, write, startedMs, close } = await ants();
  await make(520);
  clock.moveBy(6 * minuteMs);
  const take = slices({ write });
  assert.equal(await take({}, clock.now()), true);
  assert.equal(await due(), 20);
  assert.equal(await take({}, clock.now()), false);
  assert.equal(await take({}, clock.now()), false);
  assert.deepEqual(
    await words(),
    Array.from({ length: 520 }, (_, at) => `age ${at + 1}`),
  );
  assert.deepEqual(armed, [startedMs + 15 * minuteMs, startedMs + 15 * minuteMs]);
  await close();
});

test("a failing transition is postponed alone by a minute, and those before and after it fire", async () => {
  const { slices, make, words, due, clock, write, close } = await ants();
  await make(20);
  await make(1, "never");
  await make(20);
  clock.moveBy(6 * minuteMs);
  const take = slices({ write });
  assert.equal(await take({}, clock.now()), false);
  const others = Array.from({ length: 41 }, (_, at) => `age ${at + 1}`).filter((word) => word !== "age 21");
  assert.deepEqual(await words(), others);
  assert.equal(await due(), 0);
  clock.moveBy(minuteMs - 1);
  assert.equal(await due(), 0);
  clock.moveBy(1);
  assert.equal(await due(), 1);
  await close();
});

test("a transition that fails its whole write is postponed, and a store that can't write postpones none", async () => {
  const { slices, make, words, due, clock, write, close } = await ants();
  await make(2);
  clock.moveBy(6 * minuteMs);
  const away = slices({ write: () => Promise.reject(new StoreUnavailable("away", { retryable: true })) });
  await assert.rejects(away({}, clock.now()), StoreUnavailable);
  const never = slices({ write: () => Promise.reject(new Error("before anything was looked for")) });
  await assert.rejects(never({}, clock.now()), /before anything/);
  assert.equal(await due(), 2);
  let writes = 0;
  const lost = slices({
    write: async (work, options) => {
      writes += 1;
      const done = await write(async (transaction) => {
        await work(transaction);
        if (writes === 1) throw new Error("in the end");
      }, options);
      return done as Awaited<ReturnType<typeof work>>;
    },
  });
  assert.equal(await lost({}, clock.now()), true);
  assert.equal(await due(), 1);
  assert.deepEqual(await words(), ["age 1"]);
  await close();
});
