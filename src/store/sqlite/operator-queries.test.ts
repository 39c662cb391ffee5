/** Operator queries: the number of records per state, and the event log, newest first. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Frame } from "../../expressions/value.ts";
import type { NewEvent, Store } from "../store.ts";
import { openTestStore, storePath } from "../test-files.ts";
import { field, model, resource } from "../test-model.ts";

const frame = {} as Frame;

const parcels = model([
  resource("Parcel", [field("status", "string")], { deleted: "marked" }),
  resource("Shop", [field("name", "string")]),
]);

async function filled(t: TestContext, path: string, count: number): Promise<Store> {
  const store = await openTestStore(t, parcels, path);
  await store.write(async (transaction) => {
    for (let number = 0; number < count; number += 1)
      await transaction.insert("Parcel", { id: `p${number}`, status: number % 3 === 0 ? "new" : "sent" });
    await transaction.delete("Parcel", await transaction.insert("Parcel", { id: "gone", status: "gone" }));
    await transaction.insert("Parcel", { id: "none", status: null });
  });
  return store;
}

for (const [count, kind] of [
  [9, "few"],
  // More records than the main thread reads, so that a reader thread counts them.
  [30_000, "many"],
] as const) {
  test(`records are counted by the values of a field, without deleted ones: ${kind}`, async (t) => {
    const store = await filled(t, storePath(t), count);
    const query = store.prepareCounts("Parcel", "status");
    const counts = await store.session.counts(query, frame);
    assert.deepEqual(
      new Map(counts.map((valueCount) => [valueCount.value, valueCount.count])),
      new Map([
        [null, 1],
        ["new", count / 3],
        ["sent", (count / 3) * 2],
      ]),
    );
  });
}

const startMs = Date.parse("2026-11-20T12:00:00.000Z");

function eventAt(number: number): NewEvent {
  return {
    id: `evt_${number}`,
    type: number % 2 === 0 ? "parcel.even" : "parcel.odd",
    time: new Date(startMs + number * 1000).toISOString(),
    resource: number % 4 === 3 ? "Shop" : "Parcel",
    row: number % 5,
    subject: `p${number % 5}`,
    payload: `{"number":${number}}`,
  };
}

for (const count of [20, 20_000]) {
  test(`the event log is read newest first, in pages and with filters, from ${count} events`, async (t) => {
    const store = await openTestStore(t, parcels, storePath(t));
    const events = Array.from({ length: count }, (_, at) => eventAt(at + 1));
    await store.write(async ({ system }) => system.appendEvents(events));
    const { system } = store.session;
    const sequences = async (...query: Parameters<typeof system.log>) =>
      (await system.log(...query)).map((logEntry) => logEntry.sequence);
    assert.deepEqual(await sequences({}, 3), [count, count - 1, count - 2]);
    assert.deepEqual(await sequences({ before: 4 }, 10), [3, 2, 1]);
    assert.deepEqual(await sequences({ type: "parcel.odd", before: 8 }, 2), [7, 5]);
    const ofRecord = await system.logOfRecord({ resource: "Parcel", row: 1 }, { after: 0, before: 12 }, 5);
    assert.deepEqual(
      ofRecord.map((logEntry) => logEntry.sequence),
      [6, 1],
    );
    assert.deepEqual(await sequences({ subject: "p2", resource: "Shop", before: 9 }, 5), [7]);
    assert.deepEqual(await sequences({ from: startMs + 4000, until: startMs + 6000 }, 5), [5, 4]);
    assert.deepEqual(await system.eventOf("evt_7"), { sequence: 7, record: null, ...eventAt(7) });
    assert.equal(await system.eventOf("evt_none"), null);
  });
}
