/** Due timed transitions (part 3): unit tests. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { openAsleep } from "../../../test/durability/due/walk.ts";
import { eventually } from "../../../test/eventually.ts";
import { openModelStore, openService } from "../../cli/open-service.ts";
import { StoreUnavailable } from "../../store/errors.ts";
import { createRequest } from "../http/message.ts";
import { createMovableClock, silentLog, systemClock } from "../ports.ts";
import type { Service } from "../service.ts";
import { DueTimers } from "./due.ts";
import { silentTerminal as terminal } from "../../../test/terminal.ts";

const minute = 60_000;

/** The transition `expire` clears the required title of books of 13 pages, which must fail. */
const model = libraryModel({
  authentication: "- Scheme: none",
  states: `### Book

- State field: status
- Initial state: free

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lend | free | lent | call | |
| give_back | lent | free | call | |
| expire | free | gone | after 10 minutes | \`title = this.pages == 13 ? null : this.title\` |`,
});

async function send(service: Service, method: string, target: string, body?: unknown) {
  const request = createRequest({
    method,
    target,
    headers: [["Content-Type", "application/json"]],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await service.fetch(request);
  return { status: answer.status, body: JSON.parse(String(answer.body)) as Record<string, string> };
}

const someTurns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("a failing transition is retried with doubling pauses, across restarts, and delays no other", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-due-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const failedAt: number[] = [];
  const log = { ...silentLog, warn: () => void failedAt.push(clock.now()) };
  const start = clock.now();
  const opened = async <T>(work: (service: Service) => Promise<T>): Promise<T> => {
    const store = await openModelStore(model, join(folder, "store.db"), terminal);
    const service = await openService(model, store, { clock, log }, { origin: () => "http://x" });
    try {
      return await work(service);
    } finally {
      await service.close();
      await store.close();
    }
  };
  const [bad, good] = await opened(async (service) => [
    (await send(service, "POST", "/books", { title: "Bad", pages: 13 })).body["id"],
    (await send(service, "POST", "/books", { title: "Good" })).body["id"],
  ]);
  for (let passed = 0; passed < 30; passed += 1) {
    clock.moveBy(minute);
    await opened(async (service) => {
      const is = async (id: string | undefined) =>
        (await send(service, "GET", `/books/${id}`)).body["status"];
      assert.equal(await is(bad), "free");
      assert.equal(await is(good), passed < 9 ? "free" : "gone");
    });
  }
  assert.deepEqual(
    failedAt.map((time) => (time - start) / minute),
    [10, 11, 13, 17, 25],
  );
});

test("a store that can't write is reported as such, and no transition is postponed", async (t) => {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const store = await openModelStore(model, ":memory:", terminal);
  t.after(() => store.close());
  let broken = false;
  let refused = 0;
  const failing: typeof store = Object.assign(Object.create(store), {
    session: store.session,
    onCommit: (listener: () => void) => store.onCommit(listener),
    write: (work: never) => {
      if (!broken) return store.write(work);
      refused += 1;
      return Promise.reject(new StoreUnavailable("no space left", { retryable: true }));
    },
  });
  const service = await openService(model, failing, { clock, log: silentLog }, { origin: () => "http://x" });
  const { body } = await send(service, "POST", "/books", { title: "Emma" });
  broken = true;
  clock.moveBy(10 * minute);
  assert.equal((await send(service, "GET", `/books/${body["id"]}`)).status, 503);
  broken = false;
  assert.equal((await send(service, "GET", `/books/${body["id"]}`)).body["status"], "gone");
  await send(service, "POST", "/books", { title: "Dune" });
  broken = true;
  refused = 0;
  clock.moveBy(10 * minute);
  await eventually(() => assert.ok(refused > 0, "the wake-up has come"));
  await someTurns();
  broken = false;
  // The service does not retry it at once.
  const refusedBefore = refused;
  clock.moveBy(9_999);
  await someTurns();
  assert.equal(refused, refusedBefore);
  assert.equal((await store.session.system.dueTimers(clock.now(), 1)).length, 1);
  clock.moveBy(1);
  await eventually(async () =>
    assert.deepEqual(await store.session.system.dueTimers(clock.now(), 1), [], "the wake-up has come again"),
  );
  await service.close();
});

test("a timer that is set during the query for the next due time wakes the service", async (t) => {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const store = await openModelStore(model, ":memory:", terminal);
  t.after(() => store.close());
  // A store that returns results late: they reflect the earlier state.
  let held: (() => void)[] | undefined;
  const system = Object.assign(Object.create(store.session.system), {
    nextDue: async () => {
      const known = await store.session.system.nextDue();
      await new Promise<void>((resolve) => (held ? held.push(resolve) : resolve()));
      return known;
    },
  });
  const late: typeof store = Object.assign(Object.create(store), {
    session: Object.assign(Object.create(store.session), { system }),
    onCommit: (listener: () => void) => store.onCommit(listener),
    write: (...given: Parameters<typeof store.write>) => store.write(...given),
  });
  const service = await openService(model, late, { clock, log: silentLog }, { origin: () => "http://x" });
  t.after(() => service.close());
  await send(service, "POST", "/books", { title: "Emma" });
  held = [];
  clock.moveBy(10 * minute);
  // The wake-up has processed Emma, and queries the next due time.
  while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await send(service, "POST", "/books", { title: "Dune" });
  for (const resolve of held.splice(0)) resolve();
  held = undefined;
  await someTurns();
  clock.moveBy(10 * minute);
  await eventually(async () => assert.deepEqual(await store.session.system.dueTimers(clock.now(), 1), []));
});

test("a service wakes up at each due time, also of timers that were set later, and not earlier", async (t) => {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const store = await openModelStore(model, ":memory:", terminal);
  t.after(() => store.close());
  const service = await openService(
    model,
    store,
    { clock, machine: systemClock, log: silentLog },
    { origin: () => "http://x" },
  );
  t.after(() => service.close());
  const soonest = () => {
    const next = clock.earliest();
    return next === null ? null : (next - clock.now()) / minute;
  };
  const dueSince = async () => (await store.session.system.dueTimers(clock.now(), 10)).length;
  const idle = soonest();
  assert.ok(idle === null || idle >= 10);
  const { body: emma } = await send(service, "POST", "/books", { title: "Emma" });
  assert.equal(soonest(), 10);
  clock.moveBy(4 * minute);
  const { body: dune } = await send(service, "POST", "/books", { title: "Dune" });
  assert.equal(soonest(), 6);
  clock.moveBy(6 * minute);
  await eventually(async () => assert.deepEqual([await dueSince(), soonest()], [0, 4]));
  // The service does not query transitions repeatedly that are no longer due.
  await send(service, "POST", `/books/${dune["id"]}/lend`);
  clock.moveBy(4 * minute);
  await eventually(() => {
    const left = soonest();
    assert.ok(left === null || left >= 10);
  });
  assert.deepEqual(
    [await dueSince(), (await send(service, "GET", `/books/${emma["id"]}`)).body["status"]],
    [0, "gone"],
  );
});

test("a timer that is set during the query for the earliest due time wakes the service if it is earlier", async () => {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const store = await openModelStore(model, ":memory:", terminal);
  const service = await openService(
    model,
    store,
    { clock, machine: systemClock, log: silentLog },
    { origin: () => "http://x" },
  );
  const { context, newFrame } = service.internals;
  const wokenFor: number[] = [];
  const at = (timeMs: number) => {
    wokenFor.push(timeMs - clock.now());
    return () => {};
  };
  const { session } = context.store;
  const requested = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<number>();
  const nextDue = () => {
    requested.resolve();
    return reported.promise;
  };
  const timers = new DueTimers(
    {
      ...context,
      ports: { ...context.ports, clock: { ...clock, at } },
      store: {
        ...context.store,
        write: (work, options) => context.store.write(work, options),
        onCommit: (listener) => context.store.onCommit(listener),
        session: { ...session, system: { ...session.system, nextDue } },
      },
    },
    [],
    newFrame,
  );
  const allDue = timers.runAllDue();
  await requested.promise;
  timers.armed(clock.now() + 20 * minute);
  timers.armed(clock.now() + 10 * minute);
  timers.armed(clock.now() + 40 * minute);
  reported.resolve(clock.now() + 30 * minute);
  await allDue;
  assert.deepEqual(wokenFor, [20 * minute, 10 * minute, 10 * minute]);
  await timers.stop();
  await service.close();
  await store.close();
});

test("stopped due timers run no further work", async () => {
  const { service, store, clock, close } = await openAsleep(model);
  const { context, newFrame } = service.internals;
  const dueNow = async () => (await store.session.system.dueTimers(clock.now(), 10)).length;
  await send(service, "POST", "/books", { title: "Emma" });
  clock.moveBy(10 * minute);
  const [stopped, other] = [new DueTimers(context, [], newFrame), new DueTimers(context, [], newFrame)];
  await stopped.stop();
  await stopped.runAllDue();
  assert.equal(await dueNow(), 1);
  await other.runAllDue();
  assert.equal(await dueNow(), 0);
  await other.stop();
  await close();
});

test("due times of other instances are read only if there are instances and timed transitions", async () => {
  for (const states of [model, libraryModel({ authentication: "- Scheme: none" })]) {
    const { service, store, close } = await openAsleep(states);
    const { context, newFrame } = service.internals;
    let looks = 0;
    const at = () => {
      looks += 1;
      return () => {};
    };
    const ports = { ...context.ports, machine: { ...systemClock, at } };
    const timers = new DueTimers({ ...context, ports }, [], newFrame);
    assert.equal(looks, store.shared && timers.any ? 1 : 0);
    await timers.stop();
    await close();
  }
});
