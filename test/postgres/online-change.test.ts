/**
 * Stored changes of many records while instances of the previous document serve: the next tables
 * are written before the instances stop, and records that change meanwhile are written again.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordValue } from "../../src/expressions/value.ts";
import { StoreMismatch } from "../../src/store/errors.ts";
import type { Store, Transaction } from "../../src/store/store.ts";
import { documentOf, resource } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { frame, insert, onSchema, read, startCutOff, until } from "./rolling-stores.ts";
import { cutBefore, hangUp } from "./cut-off.ts";
import type { Schema } from "./server.ts";

const first = documentOf(resource("Parcel", "place | string |", "weight | integer |"));
const converted = (expression: string, type = "string") =>
  documentOf(
    resource("Parcel", `town | ${type} | required, unique`, "weight | integer |"),
    change("town", "Removed: Parcel.place", `For each Parcel: \`town = ${expression}\``),
  );
const withIdentifier = converted('old.place + " " + old.id');

/** More than two slices. */
const records = 2_500;

async function fill(schema: Schema): Promise<void> {
  const client = await schema.connect();
  await client.query(
    `INSERT INTO "Parcel" (id, place) SELECT 'p' || n, 'Oslo' FROM generate_series(1, ${records}) AS n`,
  );
}

/** Changes or deletes a record. */
async function edit(
  store: Store,
  id: string,
  work: (transaction: Transaction, record: RecordValue) => unknown,
): Promise<void> {
  const all = store.prepareRecords({ resource: "Parcel", where: [], order: [] });
  await store.write(async (transaction) => {
    const found = (await transaction.records(all, frame)).find((record) => record["id"] === id);
    await work(transaction, found as RecordValue);
  });
}

/** What a preparation may leave in a schema. */
async function leftovers(schema: Schema): Promise<readonly unknown[]> {
  const { rows } = await (await schema.connect()).query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND (relname LIKE '#%' OR relname = 'ninefold_changed_rows')
      UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
      UNION ALL SELECT proname FROM pg_proc WHERE proname = 'ninefold_note_row' AND pronamespace = current_schema()::regnamespace`,
  );
  return rows;
}

test("records are converted while an instance of the previous document changes them", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await fill(schema);
    const writes: Promise<unknown>[] = [];
    const progress: number[] = [];
    const onRecords = (_: string, done: number, all: number) => {
      assert.equal(all, records);
      progress.push(done);
      if (done !== 1_000) return;
      // The first slice has been written, and the others have not.
      assert.equal(former.status().servingState, "serving");
      for (const id of ["p1", "p2400"])
        writes.push(
          edit(former, id, async (transaction, record) =>
            transaction.update("Parcel", record, { place: "Rome" }),
          ),
        );
      for (const id of ["p2", "p2401"])
        writes.push(edit(former, id, async (transaction, record) => transaction.delete("Parcel", record)));
      writes.push(insert(former, "Parcel", { id: "new", place: "Bonn" }));
    };
    const later = await start(withIdentifier, { watch: { onRecords } });
    await Promise.all(writes);
    assert.deepEqual(progress, [1_000, 2_000, 2_500]);
    await until(() => former.status().servingState === "superseded");
    const towns = `SELECT string_agg(town || ' ' || "#revision", ', ' ORDER BY "#row") FROM "Parcel" WHERE id IN ('p1', 'p2', 'p3', 'p2400', 'p2401', 'new')`;
    assert.equal(await read(later, towns), "Rome p1 3, Oslo p3 2, Rome p2400 3, Bonn new 2");
    assert.equal(await read(later, `SELECT count(*) FROM "Parcel"`), records - 1);
    await assert.rejects(insert(later, "Parcel", { id: "x", town: "Bonn new" }), /duplicate of Parcel: town/);
    await insert(later, "Parcel", { id: "y", town: "Bari" });
    // The number of a deleted record, or one that a repeated write has skipped, isn't used again.
    assert.equal(await read(later, `SELECT "#row" > ${records + 1} FROM "Parcel" WHERE id = 'y'`), true);
    assert.deepEqual(await leftovers(schema), []);
  });
});

test("records are written again if only part 2 changes their table", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await fill(schema);
    const later = await start(documentOf(resource("Parcel", "place | string |", "weight | number |")));
    assert.equal(await read(later, `SELECT count(*) FROM "Parcel" WHERE place = 'Oslo'`), records);
    await until(() => former.status().servingState === "superseded");
    assert.deepEqual(await leftovers(schema), []);
  });
});

test("records that can't be converted are reported before an instance stops", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    const states = new Set<unknown>();
    const watch = { onRecords: () => states.add(former.status().servingState) };
    await assert.rejects(
      start(converted('old.place + "!"', "one of Oslo, Rome"), { watch: watch as never }),
      (error) =>
        error instanceof StoreMismatch && /stored change town: Parcel a: town /.test(error.obstacles.join()),
    );
    assert.deepEqual([...states], ["serving"]);
    assert.equal(former.status().servingState, "serving");
    assert.deepEqual(await leftovers(schema), []);
  });
});

test("duplicates are reported, and the previous document continues without the preparation", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    for (const id of ["a", "b"]) await insert(former, "Parcel", { id, place: "Oslo" });
    await assert.rejects(
      start(converted("old.place")),
      (error) => error instanceof StoreMismatch && /town must now be unique/.test(error.obstacles.join()),
    );
    await until(() => former.status().servingState === "serving");
    await insert(former, "Parcel", { id: "c", place: "Rome" });
    assert.deepEqual(await leftovers(schema), []);
  });
});

test("a stored change that is killed at any of its statements is made by the next start", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "p0", place: "Oslo" });
    let number = 0;
    const { store, cuts } = await startCutOff(
      () => start(withIdentifier),
      async () => {
        await until(() => former.status().servingState === "serving");
        number += 1;
        // Triggers of the killed start may be there.
        await insert(former, "Parcel", { id: `p${number}`, place: "Rome" });
        await edit(former, "p0", async (transaction, record) =>
          transaction.update("Parcel", record, { weight: number }),
        );
      },
    );
    assert.ok(cuts > 4, String(cuts));
    assert.equal(await read(store, `SELECT count(*) FROM "Parcel" WHERE town = 'Rome ' || id`), number);
    assert.equal(await read(store, `SELECT weight FROM "Parcel" WHERE town = 'Oslo p0'`), number);
    await until(() => former.status().servingState === "superseded");
    assert.deepEqual(await leftovers(schema), []);
  });
});

test("another document removes what a killed start has left", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    for (let number = 1; (await leftovers(schema)).length === 0; number += 3) {
      const cut = cutBefore(number, hangUp);
      await assert.rejects(start(withIdentifier).finally(() => cut.restore()));
    }
    await (await start(first)).close();
    assert.deepEqual(await leftovers(schema), []);
    await insert(former, "Parcel", { id: "b", place: "Rome" });
  });
});

test("a document that only tightens a rule isn't mistaken for an earlier one of a serving instance", async () => {
  await onSchema(async (start) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo", weight: 9 });
    const tight = documentOf(resource("Parcel", "place | string |", "weight | integer | ..5"));
    await assert.rejects(
      start(tight),
      (error) => error instanceof StoreMismatch && /weight must be at most 5/.test(error.obstacles.join()),
    );
    assert.equal(former.status().servingState, "serving");
    const fewer = documentOf(resource("Parcel", "place | string |"));
    await assert.rejects(
      start(fewer),
      (error) => error instanceof StoreMismatch && /Parcel.weight/.test(error.losses.join()),
    );
    assert.equal(former.status().servingState, "serving");
  });
});
