/**
 * Due times: with clock jumps, restarts, moved times and waiting guards, due work runs once and in
 * order, and no request sees it rolled back.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createMovableClock } from "../../src/engine/ports.ts";
import type { Session, Store } from "../../src/store/store.ts";
import { libraryModel } from "../documents/library.ts";
import { at, minute, openTimed, start, type Timed, type TimedOptions } from "./serve-timed.ts";

async function serve(t: TestContext, options: TimedOptions = {}): Promise<Timed> {
  const timed = await openTimed(options);
  t.after(() => timed.close());
  return timed;
}

async function make(timed: Timed, ...minutes: readonly number[]): Promise<void> {
  for (const minute of minutes)
    assert.equal((await timed.send("POST", "/tickets", { body: { lapses_at: at(minute) } })).status, 201);
}

const statuses = async (timed: Timed) =>
  ((await timed.send("GET", "/tickets")).body as { status: string }[])
    .map((ticket) => ticket.status)
    .join(" ");

/** Waits for event loop ticks until the condition holds, up to a bound that no work needs. */
async function until(isThere: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await isThere()); turns += 1) {
    assert.ok(turns < 100_000, "it never happened");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (const isAsleep of [true, false]) {
  const how = isAsleep ? "caused by requests" : "taken at a wake-up";

  test(`a clock that jumps forward runs all due work at once, in the order of due times, ${how}`, async (t) => {
    const timed = await serve(t, { isAsleep });
    await make(timed, 30, 10, 20, 5000);
    timed.clock.moveBy(100 * minute);
    if (!isAsleep) await until(async () => (await timed.lapses()).length === 3);
    assert.equal(await statuses(timed), "lapsed lapsed lapsed open");
    assert.deepEqual(await timed.lapses(), [
      [2, 10],
      [3, 20],
      [1, 30],
    ]);
  });

  test(`a clock that jumps back repeats and loses no due work, ${how}`, async (t) => {
    const timed = await serve(t, { isAsleep });
    await make(timed, 10, 20);
    timed.clock.moveBy(15 * minute);
    assert.equal(await statuses(timed), "lapsed open");
    timed.clock.moveBy(-15 * minute);
    assert.equal(await statuses(timed), "lapsed open");
    await make(timed, 12);
    timed.clock.moveBy(11 * minute);
    assert.equal(await statuses(timed), "lapsed open open");
    timed.clock.moveBy(2 * minute);
    if (!isAsleep) await until(async () => (await timed.lapses()).length === 2);
    assert.equal(await statuses(timed), "lapsed open lapsed");
    timed.clock.moveBy(-13 * minute);
    timed.clock.moveBy(40 * minute);
    if (!isAsleep) await until(async () => (await timed.lapses()).length === 3);
    assert.equal(await statuses(timed), "lapsed lapsed lapsed");
    assert.deepEqual(await timed.lapses(), [
      [1, 10],
      [3, 12],
      [2, 20],
    ]);
  });
}

test("if the clock jumps forward while due work runs, work that becomes due runs, too, without a request", async (t) => {
  const timed = await serve(t);
  await make(timed, 10, 20);
  timed.clock.moveBy(12 * minute);
  timed.clock.moveBy(20 * minute);
  await until(async () => (await timed.lapses()).length === 2);
  assert.deepEqual(await timed.lapses(), [
    [1, 10],
    [2, 20],
  ]);
});

test("if the clock jumps back while due work runs, new work doesn't run before its time", async (t) => {
  const timed = await serve(t, { isAsleep: true });
  const count = 300;
  const bodies = Array.from({ length: count }, () => ({ lapses_at: at(10) }));
  await Promise.all(bodies.map((body) => timed.send("POST", "/tickets", { body })));
  timed.clock.moveBy(15 * minute);
  const settling = timed.service.internals.timers.runAllDue();
  await until(async () => (await timed.lapses()).length > 0);
  timed.clock.moveBy(-4 * minute);
  await make(timed, 12);
  await settling;
  assert.equal((await timed.lapses()).length, count);
  assert.equal((await timed.send("GET", `/tickets/${count + 1}`)).body.status, "open");
});

test("if a store is closed while due work runs, the rest runs once, in order, after the next opening", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-due-times-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const clock = createMovableClock(start);
  const options = { clock, path: join(folder, "store.db"), isAsleep: true };
  const count = 1200;
  const before = await openTimed(options);
  const bodies = Array.from({ length: count }, (_, index) => ({ lapses_at: at((index * 7) % 50) }));
  await Promise.all(bodies.map((body) => before.send("POST", "/tickets", { body })));
  clock.moveBy(60 * minute);
  const settling = before.service.internals.timers.runAllDue();
  await until(async () => (await before.lapses()).length > 0);
  await before.close();
  await settling.catch(() => {});
  const between = await openTimed(options);
  const done = (await between.lapses()).length;
  assert.ok(done > 0 && done < count, `${done} of ${count} were taken before`);
  // One ticket out of order, and another one in between.
  assert.equal((await between.send("GET", "/tickets/50")).body.status, "lapsed");
  await between.close();
  const after = await serve(t, options);
  const all = (await after.send("GET", "/tickets")).body as { status: string; times: number }[];
  assert.equal(all.length, count);
  assert.ok(all.every((record) => record.status === "lapsed" && record.times === 1));
  const lapses = await after.lapses();
  assert.equal(lapses.length, count);
  const minutes = lapses.filter(([id]) => id !== 50).map(([, when]) => when);
  assert.deepEqual(
    minutes,
    minutes.toSorted((a, b) => a - b),
  );
});

test("a due time can be moved later, earlier or into the past, or removed", async (t) => {
  const timed = await serve(t, { isAsleep: true });
  await make(timed, 10, 30, 30, 10);
  const move = (id: number, lapses_at: string | null) =>
    timed.send("PATCH", `/tickets/${id}`, { body: { lapses_at } });
  await move(1, at(40));
  await move(2, at(5));
  await move(4, null);
  timed.clock.moveBy(20 * minute);
  await move(3, at(2));
  assert.equal(await statuses(timed), "open lapsed lapsed open");
  // A fired transition doesn't fire again, wherever its time is moved.
  await move(2, at(21));
  timed.clock.moveBy(60 * minute);
  assert.equal(await statuses(timed), "lapsed lapsed lapsed open");
  assert.deepEqual((await timed.lapses()).toSorted(), [
    [1, 40],
    [2, 5],
    [3, 2],
  ]);
});

test("a due time that a concurrent request moves into the past is run before the next response", async (t) => {
  const timed = await serve(t, { isAsleep: true });
  await make(timed, 5000);
  const answers = await Promise.all(
    [{ lapses_at: at(-1) }, { held: true }].map((body) => timed.send("PATCH", "/tickets/1", { body })),
  );
  assert.deepEqual(
    answers.map(({ body }) => [body.status, body.held]),
    [
      ["open", false],
      ["lapsed", true],
    ],
  );
});

test("a transition with a false guard waits until its record changes, across restarts, and then fires once", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-due-guards-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const clock = createMovableClock(start);
  const options = { clock, path: join(folder, "store.db"), isAsleep: true };
  const before = await openTimed(options);
  await before.send("POST", "/tickets", { body: { lapses_at: at(10), held: true } });
  clock.moveBy(20 * minute);
  assert.equal(await statuses(before), "open");
  await before.close();
  const after = await serve(t, options);
  clock.moveBy(minute);
  assert.equal(await statuses(after), "open");
  assert.deepEqual(await after.lapses(), []);
  await after.send("PATCH", "/tickets/1", { body: { held: false } });
  assert.equal((await after.send("GET", "/tickets/1")).body.status, "lapsed");
  await after.send("PATCH", "/tickets/1", { body: { held: true } });
  await after.send("PATCH", "/tickets/1", { body: { held: false } });
  assert.equal(await statuses(after), "lapsed");
  assert.deepEqual(await after.lapses(), [[1, 21]]);
});

/** A store whose next committed read first awaits something else. */
function waitingStore(store: Store): { readonly store: Store; before(work: () => Promise<unknown>): void } {
  let first: (() => Promise<unknown>) | undefined;
  const requests = ["records", "record", "count", "shaped", "json", "value"] as const;
  const session = { system: store.session.system } as Record<string, unknown>;
  for (const request of requests)
    session[request] = async (...args: Parameters<Session["json"]>) => {
      const work = first;
      first = undefined;
      await work?.();
      return (store.session[request] as (...args: unknown[]) => unknown)(...args);
    };
  const through = {
    ...Object.fromEntries(
      ["prepareRecords", "prepareCount", "prepareShaped", "prepareValue", "prepareJson", "write"].map(
        (name) => [name, (...args: unknown[]) => (store as never as Requests)[name]?.(...args)],
      ),
    ),
    onCommit: (listener: Parameters<Store["onCommit"]>[0]) => store.onCommit(listener),
    isEmpty: () => store.isEmpty(),
    close: () => store.close(),
    session,
  } as unknown as Store;
  return {
    store: through,
    before(work) {
      first = work;
    },
  };
}

type Requests = Record<string, ((...args: unknown[]) => unknown) | undefined>;

for (const target of ["/tickets/1", "/tickets"])
  test(`GET ${target} that meets another's change sees what it has made due, too`, async (t) => {
    let waiting: ReturnType<typeof waitingStore> | undefined;
    const through = (store: Store) => {
      waiting = waitingStore(store);
      return waiting.store;
    };
    const timed = await serve(t, { isAsleep: true, through });
    await make(timed, 50);
    timed.clock.moveBy(20 * minute);
    waiting?.before(() => timed.send("PATCH", "/tickets/1", { body: { lapses_at: at(3) } }));
    const { body } = await timed.send("GET", target);
    const { status, lapses_at, lapsed_at } = target === "/tickets" ? body[0] : body;
    assert.deepEqual(
      { status, lapses_at, lapsed_at },
      { status: "lapsed", lapses_at: at(3), lapsed_at: at(3) },
    );
  });

test("chains of past due times continue from the current time, and a cycle without passing time ends", async (t) => {
  const model = libraryModel({
    authentication: "- Scheme: none",
    resources: `### Lamp

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |
| on_at | timestamp | nullable |
| off_at | timestamp | nullable |
| switched | integer | default \`0\` |
| last_at | timestamp | |`,
    states: `### Lamp

- State field: status
- Initial state: off

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| light | off | on | at on_at | | \`switched = this.switched + 1; last_at = now\` |
| douse | on | off | at off_at | | \`switched = this.switched + 1; last_at = now\` |
| fade | on | off | after 5 minutes | \`this.off_at == null\` | \`switched = this.switched + 1; last_at = now\` |`,
    endpoints: `### POST /lamps

- Does: create Lamp
- Body: on_at?, off_at?
- Returns: 201 Lamp

### GET /lamps/{id}

- Does: read Lamp
- Returns: 200 Lamp`,
    events: "- Webhooks: none\n- Notifications: none\n- Events: none",
  });
  const timed = await serve(t, { isAsleep: true, model });
  await timed.send("POST", "/lamps", { body: { on_at: at(0) } });
  await timed.send("POST", "/lamps", { body: { on_at: at(-60), off_at: at(-30) } });
  timed.clock.moveBy(12 * minute);
  const lamp = async (id: number) => (await timed.send("GET", `/lamps/${id}`)).body;
  // On at once, off after five minutes, and immediately on again.
  const steady = await lamp(1);
  assert.deepEqual([steady.status, steady.switched, steady.last_at], ["on", 5, at(10)]);
  const restless = await lamp(2);
  assert.ok(restless.switched > 2 && restless.switched < 200, String(restless.switched));
  // The failed transition is retried later, and doesn't block others.
  timed.clock.moveBy(10 * minute);
  assert.ok((await lamp(2)).switched > restless.switched);
  assert.equal((await lamp(1)).switched, 9);
});

test("consequences of due work are never due before it, and two records that reset each other's times terminate", async (t) => {
  const model = libraryModel({
    authentication: "- Scheme: none",
    resources: `### Side

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |
| other | Side | nullable |
| falls_at | timestamp | nullable |
| fallen | integer | default \`0\` |
| last_at | timestamp | |`,
    states: `### Side

- State field: status
- Initial state: up

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| fall | up | same | at falls_at | | \`fallen = this.fallen + 1; last_at = now; falls_at = null; other.falls_at = now - duration("10m")\` |`,
    endpoints: `### POST /sides

- Does: create Side
- Body: other?, falls_at?
- Returns: 201 Side

### PATCH /sides/{id}

- Does: update Side
- Body: other?, falls_at?
- Returns: 200 Side

### GET /sides

- Does: list Side
- Order: id
- Returns: 200 list of Side`,
    events: "- Webhooks: none\n- Notifications: none\n- Events: none",
  });
  const timed = await serve(t, { isAsleep: true, model });
  await timed.send("POST", "/sides", { body: {} });
  await timed.send("POST", "/sides", { body: { other: 1 } });
  await timed.send("PATCH", "/sides/1", { body: { other: 2, falls_at: at(30) } });
  timed.clock.moveBy(40 * minute);
  const sides = (await timed.send("GET", "/sides")).body as { fallen: number; last_at: string }[];
  assert.deepEqual(new Set(sides.map((side) => side.last_at)), new Set([at(30)]));
  const fallen = sides.reduce((sum, side) => sum + side.fallen, 0);
  assert.ok(fallen > 2 && fallen < 100, String(fallen));
});

test("records created with a past due time, which create more of their kind, terminate", async (t) => {
  const model = libraryModel({
    authentication: "- Scheme: none",
    resources: `### Seed

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |
| sprouts_at | timestamp | |`,
    states: `### Seed

- State field: status
- Initial state: dry

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| sprout | dry | green | at sprouts_at | | \`create Seed with sprouts_at = this.sprouts_at\` |`,
    endpoints: `### POST /seeds

- Does: create Seed
- Body: sprouts_at
- Returns: 201 Seed

### GET /seeds

- Does: answer
- Returns: 200 \`{"dry": Seed.count(x, x.status == "dry"), "green": Seed.count(x, x.status == "green")}\``,
    events: "- Webhooks: none\n- Notifications: none\n- Events: none",
  });
  const timed = await serve(t, { isAsleep: true, model });
  assert.equal((await timed.send("POST", "/seeds", { body: { sprouts_at: at(-1) } })).status, 201);
  const { dry, green } = (await timed.send("GET", "/seeds")).body;
  assert.equal(dry, 1);
  assert.ok(green >= 1 && green < 100, String(green));
});
