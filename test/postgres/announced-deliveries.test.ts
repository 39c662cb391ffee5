/**
 * Announced deliveries: writes of two instances add deliveries to one receiver without a conflict,
 * and none is forgotten, whatever ends meanwhile.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AttemptNote, NewDelivery } from "../../src/store/deliveries.ts";
import { copyStore, openStore } from "../../src/store/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { ClaimedDelivery } from "../../src/store/shared.ts";
import type { Store } from "../../src/store/store.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { nonNull } from "../../src/support/non-null.ts";
import { createChance } from "../streams/chance.ts";
import { freshSchema, type Schema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
let schema: Schema;
const stores: Store[] = [];

before(async () => {
  schema = await freshSchema();
  for (let at = 0; at < 2; at += 1)
    stores.push(await openStore(notes, meaningOf(notes), { path: schema.url }));
});
after(async () => {
  for (const store of stores) await store.close();
  await schema.drop();
});

const claimsOf = (store: Store) => nonNull(store.shared).claims;
const options = { isFailing: false, places: 20, perReceiver: 5, leaseMs: 60_000 };
const claim = (store: Store, nowMs = Date.now()) => claimsOf(store).claim({ ...options, nowMs });
const event = (id: string) => ({
  id,
  type: "note.made",
  time: "2026-11-20T10:00:00.000Z",
  resource: "Note",
  row: 1,
  subject: id,
  payload: "{}",
});

/** Stores an event with a delivery. @param meanwhile runs before the end of the write */
function send(
  store: Store,
  id: string,
  { row = 1, queue = null, revision = 1 }: Partial<Pick<NewDelivery, "row" | "queue" | "revision">> = {},
  meanwhile: () => Promise<unknown> | undefined = () => undefined,
): Promise<void> {
  return store.write(
    async ({ system }) => {
      const sequences = await system.appendEvents([event(`${id}-other`), event(id), event(`${id}-last`)]);
      const made = { id, channel: "webhook", resource: "Hook", row, queue, revision, content: null } as const;
      await system.deliveries.add([
        { ...made, event: { sequences, at: 1 }, createdAt: Date.now(), record: null },
      ]);
      await meanwhile();
    },
    { repeatable: true },
  );
}

const noteOf = ({ number, fence }: ClaimedDelivery, more: Partial<AttemptNote> = {}): AttemptNote => ({
  number,
  fence,
  state: "done",
  at: Date.now(),
  dueAt: null,
  status: 204,
  error: null,
  ...more,
});
const result = { startedAt: 1, durationMs: 1, answer: null };
const done = (store: Store, claimed: ClaimedDelivery, more?: Partial<AttemptNote>) =>
  claimsOf(store).noteAttempt(claimed, noteOf(claimed, more), result);

test("two overlapping writes to one receiver need no second attempt, and have their own events", async () => {
  let runs = 0;
  const both = Promise.withResolvers<void>();
  const meet = () => {
    runs += 1;
    if (runs === 2) both.resolve();
    return both.promise;
  };
  await Promise.all(stores.map((store, at) => send(store, `o${at}`, {}, meet)));
  assert.equal(runs, 2);
  const [store] = stores as [Store, Store];
  const claimed = await claim(store);
  assert.deepEqual(claimed.map(({ id, eventId }) => [id, eventId]).sort(), [
    ["o0", "o0"],
    ["o1", "o1"],
  ]);
  const states = await Promise.all(claimed.map((item) => done(store, item)));
  assert.deepEqual(
    states.map((note) => note?.state),
    ["done", "done"],
  );
  assert.deepEqual(await claim(store), []);
});

test("a delivery that is added while the first one of its queue ends is due afterwards", async () => {
  const [former, other] = stores as [Store, Store];
  const isSerializable = [false, true];
  for (const [at, serializable] of isSerializable.entries()) {
    const queue = `q${at}`;
    await send(former, `${queue}-first`, { queue });
    const [first] = await claim(former);
    const ended = Promise.withResolvers<void>();
    const added = Promise.withResolvers<void>();
    // Its snapshot is older than the end of the first delivery.
    const adding = send(other, `${queue}-second`, { queue }, () => {
      added.resolve();
      return ended.promise;
    });
    await added.promise;
    const note = noteOf(nonNull(first));
    if (serializable)
      await former.write(({ system }) => system.deliveries.noteAttempt(note, result), { repeatable: true });
    else await done(former, nonNull(first));
    ended.resolve();
    await adding;
    const [second] = await claim(other);
    assert.equal(second?.id, `${queue}-second`);
    await done(other, nonNull(second));
  }
});

test("a waiting delivery and a reopened delivery of its queue are both sent", async () => {
  const [former, other] = stores as [Store, Store];
  const to = { row: 9, queue: "reopened" };
  await send(former, "r-first", to);
  const [first] = await claim(former);
  await done(former, nonNull(first));
  await send(other, "r-second", to);
  // The second one isn't announced yet.
  const receiver = { resource: "Hook", row: to.row };
  await former.write(({ system }) =>
    system.deliveries.reopen({ receiver, state: "done" }, 0, Date.now(), 10),
  );
  const order: string[] = [];
  for (let claimed = await claim(other); claimed.length > 0; claimed = await claim(other)) {
    assert.equal(claimed.length, 1);
    order.push(nonNull(claimed[0]).id);
    await done(other, nonNull(claimed[0]));
  }
  assert.deepEqual(order.sort(), ["r-first", "r-second"]);
});

test("a receiver stays disabled for deliveries of the same revision, and is enabled by a later one", async () => {
  const [store] = stores as [Store];
  await store.write(({ system }) => system.deliveries.disable({ resource: "Hook", row: 7 }, 3));
  await send(store, "d-old", { row: 7, revision: 2 });
  await send(store, "d-same", { row: 7, revision: 3 });
  assert.deepEqual(await claim(store), []);
  await send(store, "d-new", { row: 7, revision: 4 });
  const claimed = await claim(store);
  assert.deepEqual(claimed.map(({ id }) => id).sort(), ["d-new", "d-old", "d-same"]);
  for (const item of claimed) await done(store, item);
});

test("with writes, attempts and failures of both instances at once, each delivery ends once, in the order of its queue", async () => {
  const random = createChance(36);
  const perQueue = 12;
  const queues = [0, 1, 2, 3].map((at) => ({ row: 20 + (at % 2), queue: at < 3 ? `s${at}` : null }));
  let isAdding = true;
  const ended: ClaimedDelivery[] = [];
  const adding = stores.map(async (store, which) => {
    for (let at = 0; at < perQueue; at += 1)
      for (const [number, to] of queues.entries()) await send(store, `s-${which}-${at}-${number}`, to);
  });
  const sending = stores.map(async (store) => {
    for (let idle = 0; idle < 3; ) {
      const claimed = await claim(store, Date.now() + 60_000);
      idle = claimed.length === 0 && !isAdding ? idle + 1 : 0;
      await Promise.all(
        claimed.map(async (item) => {
          const again = random(5) === 0 && item.attempts < 2;
          const more = again ? ({ state: "open", dueAt: Date.now(), status: 500 } as const) : {};
          const note = noteOf(item, more);
          const noted =
            random(2) === 0
              ? await claimsOf(store).noteAttempt(item, note, result)
              : await store.write(({ system }) => system.deliveries.noteAttempt(note, result), {
                  repeatable: true,
                });
          assert.ok(noted);
          if (!again) ended.push(item);
        }),
      );
      const failing = await claimsOf(store).claim({
        ...options,
        isFailing: true,
        nowMs: Date.now() + 60_000,
      });
      if (failing.length > 0) idle = 0;
      for (const item of failing) if (await done(store, item)) ended.push(item);
    }
  });
  await Promise.all(adding);
  isAdding = false;
  await Promise.all(sending);
  assert.equal(ended.length, 2 * perQueue * queues.length);
  assert.equal(new Set(ended.map(({ id }) => id)).size, ended.length);
  for (const { queue } of queues) {
    const events = ended.filter((item) => item.queue === queue).map((item) => item.event);
    if (queue !== null)
      assert.deepEqual(
        events,
        events.toSorted((a, b) => a - b),
      );
  }
});

test("a copy to SQLite has the receivers of new deliveries", async (t) => {
  const own = await freshSchema();
  const folder = mkdtempSync(join(tmpdir(), "ninefold-announced-"));
  const path = join(folder, "copy.db");
  const opened = (at: string) => openStore(notes, meaningOf(notes), { path: at });
  const source = await opened(own.url);
  await send(source, "c-first", { queue: "c" });
  await send(source, "c-second", { queue: "c" });
  await source.close();
  await copyStore(own.url, path);
  const copy = await opened(path);
  t.after(async () => {
    await copy.close();
    rmSync(folder, { recursive: true });
    await own.drop();
  });
  const { deliveries } = copy.session.system;
  const [receiver] = await deliveries.dueReceivers(Date.now(), false, 10);
  const due = await deliveries.due(nonNull(receiver), Date.now(), 10);
  assert.deepEqual(
    due.map(({ id }) => id),
    ["c-first"],
  );
});
