import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { ask, minuteMs, openAsleep } from "../../../test/durability/due/walk.ts";
import { dueOf } from "./slices.ts";

/** Of both, each record has two times that come at the same moment. */
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

test("what is due of some resources is told in the order in which it is told of all", async () => {
  const { service, store, clock, close } = await openAsleep(model);
  for (const path of ["/bees", "/ants", "/bees", "/ants"]) {
    await ask(service, { method: "POST", target: path, body: {} });
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
      assert.deepEqual(await dueOf(system, { resources }, clock.now(), limit), all.slice(0, limit));
  assert.deepEqual(await dueOf(system, {}, clock.now(), 100), all);
  assert.deepEqual(await dueOf(system, { resources: [] }, clock.now(), 100), []);
  const bees = all.filter(({ resource }) => resource === "Bee");
  assert.deepEqual(await dueOf(system, { resources: ["Bee"] }, clock.now(), 100), bees);
  const second = bees.filter(({ row }) => row === 2);
  assert.deepEqual(await dueOf(system, { resources: ["Bee"], row: 2 }, clock.now(), 100), second);
  await close();
});
