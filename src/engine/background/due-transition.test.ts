/**
 * Timed transitions: which transitions fire at their time, which no longer apply, and which
 * receivers get their events.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { request, minuteMs, openAsleep } from "../../../test/durability/due/walk.ts";
import type { DueTimer } from "../../store/store.ts";
import { retentionTimer } from "../../store/timer-setting.ts";
import type { StateChange } from "../records/state-changes.ts";
import { planDueTransition } from "./due-transition.ts";

const model = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Ant

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| status | state | |
| n | integer | default \`0\` |
| at | timestamp | nullable |
| other | Ant | |

### Bee

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| at | timestamp | nullable |
| n | integer | default \`0\` |`,
  states: `### Ant

- State field: status
- Initial state: young

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| age | young | old | after 5 minutes | \`this.n >= 0\` | \`n = this.n + 1; other.n = 7; other.at = null\` |
| tick | any | same | at at | | \`n = this.n + 10\` |
| feed | any | same | call | | \`n = 0\` |

### Bee

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| buzz | any | same | at at | \`n = this.n + 1\` |`,
  endpoints: `### POST /ants

- Does: create Ant
- Body: name, n?, at?, other?
- Returns: 201 Ant

### GET /ants

- Does: list Ant
- Returns: 200 list of Ant

### POST /ants/{name}/feed

- Does: feed Ant
- Returns: 200 Ant

### POST /bees

- Does: create Bee
- Body: name, at?
- Returns: 201 Bee

### GET /bees

- Does: list Bee
- Returns: 200 list of Bee`,
  events: "- Webhooks: none\n- Notifications: none",
});
const startMs = Date.parse("2026-11-20T12:00:00Z");
const at = (ms: number) => new Date(startMs + ms).toISOString();

async function opened(t: TestContext) {
  const running = await openAsleep(model);
  t.after(() => running.close());
  const { service, store, clock } = running;
  return {
    ...running,
    make: async (target: string, body: object) => {
      assert.equal((await request(service, { method: "POST", target, body })).status, 201);
    },
    list: async (target: string) =>
      (await request(service, { method: "GET", target })).reported as { n: number }[],
    due: async () => store.session.system.dueTimers(clock.now(), 100),
  };
}

test("a timer that no longer applies is deleted and does nothing", async (t) => {
  const { service, store, clock, make, due } = await opened(t);
  const { context, shared, newFrame } = service.internals;
  const take = planDueTransition(context, shared.events);
  await make("/ants", { name: "a" });
  await make("/bees", { name: "b" });
  const timer = { resource: "Ant", row: 1, transition: "age", end: 0 };
  for (const old of [
    { ...timer, resource: "Cow" },
    { ...timer, row: 99 },
    { ...timer, transition: "sleep" },
    { ...timer, transition: "feed" },
    { ...timer, end: 3 },
    { ...timer, transition: retentionTimer },
    { ...timer, resource: "Bee" },
  ]) {
    await store.write(({ system }) => system.setTimer(old, clock.now()));
    const [is] = (await due()) as [DueTimer];
    assert.deepEqual(is, { ...is, ...old });
    const taken = await store.write((transaction) => take(is, transaction, newFrame(is.dueAt)));
    assert.deepEqual([taken.isAlone, taken.journal, await due()], [true, undefined, []], JSON.stringify(old));
  }
});

test("a time fires once, whether the record leaves the timer's state or stays in it", async (t) => {
  const { clock, make, list, due } = await opened(t);
  await make("/ants", { name: "a", at: at(minuteMs) });
  await make("/bees", { name: "b", at: at(minuteMs) });
  clock.moveBy(2 * minuteMs);
  assert.deepEqual(
    (await list("/ants")).map(({ n }) => n),
    [10],
  );
  assert.deepEqual(
    (await list("/bees")).map(({ n }) => n),
    [1],
  );
  clock.moveBy(10 * minuteMs);
  assert.deepEqual(
    (await list("/ants")).map(({ n }) => n),
    [11],
  );
  assert.deepEqual(
    (await list("/bees")).map(({ n }) => n),
    [1],
  );
  assert.deepEqual(await due(), []);
});

test("a transition's change of another record affects that record's transitions due at the same moment", async (t) => {
  const { clock, make, list } = await opened(t);
  await make("/ants", { name: "b", n: -1 });
  await make("/ants", { name: "a", n: -1 });
  await make("/ants", { name: "c", other: "b" });
  await make("/ants", { name: "d", other: "a" });
  clock.moveBy(6 * minuteMs);
  assert.deepEqual(
    (await list("/ants")).map(({ n }) => n),
    [8, 8, 1, 1],
  );
});

test("a transition that another one disarms does not fire, even if both were due", async (t) => {
  const { clock, make, list } = await opened(t);
  await make("/ants", { name: "a", at: at(11.5 * minuteMs) });
  clock.moveBy(6 * minuteMs);
  await list("/ants");
  await make("/ants", { name: "b", other: "a" });
  clock.moveBy(6 * minuteMs);
  assert.deepEqual(
    (await list("/ants")).map(({ n }) => n),
    [7, 1],
  );
});

test("an observer of state changes receives each one once it is stored, and nothing when none fired", async (t) => {
  const { service, store, clock, make, list, due } = await opened(t);
  for (const name of ["a", "b", "c"]) await make("/ants", { name });
  const moves: StateChange[] = [];
  service.internals.context.stateChanges.listen(({ changes }) => moves.push(...changes));
  clock.moveBy(6 * minuteMs);
  await list("/ants");
  const aged = { resource: "Ant", from: "young", to: "old" };
  assert.deepEqual(moves.splice(0), [aged, aged, aged]);
  await make("/ants", { name: "d" });
  const former = { resource: "Ant", row: 1, transition: "age", end: 0 };
  await store.write(({ system }) => system.setTimer(former, clock.now()));
  clock.moveBy(6 * minuteMs);
  moves.length = 0;
  await list("/ants");
  assert.deepEqual([moves, await due()], [[aged], []]);
});
