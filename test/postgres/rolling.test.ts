/**
 * Rolling updates: a document that changes while instances of it run on one schema. Additions are
 * applied online, other changes when the instances have stopped. One instance migrates and others
 * wait; a migration that is killed half way is resumed. Stores of this process, and at the end
 * real processes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { StoreMismatch, StoreUnavailable } from "../../src/store/errors.ts";
import { documentOf, resource } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { roll } from "../durability/rolling.ts";
import { cutBefore, hangUp } from "./cut-off.ts";
import { frame, insert, onSchema, read, startCutOff, until } from "./rolling-stores.ts";

const parcel = (...rows: readonly string[]) => resource("Parcel", "place | string |", ...rows);
const first = documentOf(parcel());
const more = documentOf(
  parcel('colour | string | default "red", required', "code | string | unique", "near | Parcel |") +
    resource("Note", "parcel | Parcel | required"),
);
const renamed = documentOf(
  resource("Parcel", "town | string |"),
  change("town", "Renamed: Parcel.place to Parcel.town"),
);

test("additions are applied while instances of the previous document write, and both continue", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    const later = await start(more);
    assert.equal(former.status().servingState, "serving");
    // Records of the previous document get the defaults of part 2.
    await insert(former, "Parcel", { id: "b", place: "Rome" });
    await insert(later, "Parcel", { id: "c", place: "Bonn", colour: "blue", code: "1", near: "a" });
    const colours = `SELECT string_agg(id || ' ' || colour, ', ' ORDER BY id) FROM "Parcel"`;
    assert.equal(await read(later, colours), "a red, b red, c blue");
    assert.equal(await read(former, colours), "a red, b red, c blue");
    // References prevent the deletion of a record, even by an instance that doesn't know them.
    await insert(later, "Note", { id: "n", parcel: "b" });
    const gone = (id: string) =>
      former.write(async (transaction) => {
        const records = await transaction.records(
          former.prepareRecords({ resource: "Parcel", where: [], order: [] }),
          frame,
        );
        const record = records.find((candidate) => candidate["id"] === id);
        assert.ok(record);
        await transaction.delete("Parcel", record);
      });
    await assert.rejects(gone("b"), /in use of Parcel/);
    // The index that was built online is valid, and enforced.
    await assert.rejects(insert(later, "Parcel", { id: "d", code: "1" }), /duplicate of Parcel: code/);
    const client = await schema.connect();
    const { rows } = await client.query("SELECT count(*)::int AS n FROM pg_index WHERE NOT indisvalid");
    assert.equal(rows[0].n, 0);
    // An instance of the previous document that starts again next to the new one removes nothing.
    await former.close();
    const again = await start(first);
    assert.equal(later.status().servingState, "serving");
    await insert(again, "Parcel", { id: "e", place: "Bari" });
    assert.equal(await read(later, `SELECT colour FROM "Parcel" WHERE id = 'e'`), "red");
  });
});

test("instances whose document sets other timers are superseded", async () => {
  const timed = (trigger: string, guard = "") =>
    documentOf(
      parcel("status | state |"),
      "",
      `### Parcel\n\n- State field: status\n- Initial state: here\n\n| Transition | From | To | Trigger | Guard |\n|---|---|---|---|---|\n| send | here | sent | call | ${guard} |\n| lose | sent | lost | ${trigger} | |\n`,
    );
  await onSchema(async (start) => {
    let former = await start(timed("after 1 day"));
    for (const trigger of ["after 2 days", "call", "after 2 days"]) {
      const later = await start(timed(trigger));
      await until(() => former.status().servingState === "superseded");
      await former.close();
      former = later;
    }
    const guarded = await start(timed("after 2 days", "`this.place != null`"));
    assert.equal(former.status().servingState, "serving");
    await guarded.close();
  });
});

test("an incompatible change is applied when former instances have stopped, and they can't return", async () => {
  await onSchema(async (start) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    const later = await start(renamed);
    assert.equal(await read(later, `SELECT town FROM "Parcel"`), "Oslo");
    await until(() => former.status().servingState === "superseded");
    const isRefused = (error: unknown) => error instanceof StoreUnavailable && error.retryable;
    await assert.rejects(insert(former, "Parcel", { id: "b", place: "Rome" }), isRefused);
    await assert.rejects(read(former, `SELECT count(*) FROM "Parcel"`), isRefused);
    await insert(later, "Parcel", { id: "b", town: "Rome" });
    assert.equal(later.status().servingState, "serving");
  });
});

test("an impossible change leaves the instances of the former document serving", async () => {
  await onSchema(async (start) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    const loses = documentOf(resource("Parcel", "town | string |"));
    await assert.rejects(
      start(loses),
      (error) => error instanceof StoreMismatch && error.losses.length === 1,
    );
    assert.equal(former.status().servingState, "serving");
    // If a problem is found during the migration, the instances stop and then continue.
    const breaks = documentOf(
      resource("Parcel", "place | one of Oslo, Rome"),
      change("twice", 'For each Parcel: `place = old.place + "!"`'),
    );
    await assert.rejects(start(breaks), (error) => error instanceof StoreMismatch);
    await until(() => former.status().servingState === "serving");
    await insert(former, "Parcel", { id: "b", place: "Rome" });
    assert.equal(await read(former, `SELECT place FROM "Parcel" WHERE id = 'a'`), "Oslo");
  });
});

test("writes in progress during a change of tables are stored before it, or rejected", async () => {
  await onSchema(async (start) => {
    const former = await start(first);
    const outcomes: Promise<boolean>[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at += 1) {
        outcomes.push(
          insert(former, "Parcel", { id: `p${at}`, place: "Oslo" }).then(
            () => true,
            (error: unknown) => {
              assert.ok(error instanceof StoreUnavailable, String(error));
              return false;
            },
          ),
        );
        await pause(2);
      }
    })();
    await until(() => outcomes.length > 20);
    const later = await start(renamed);
    isOver = true;
    await writing;
    const stored = (await Promise.all(outcomes)).filter(Boolean).length;
    assert.ok(stored > 0);
    assert.equal(await read(later, `SELECT count(*) FROM "Parcel" WHERE town = 'Oslo'`), stored);
  });
});

test("a start that is killed at any of its statements is resumed while an instance serves", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    const client = await schema.connect();
    let number = 0;
    const goesOn = async () => {
      number += 1;
      await insert(former, "Parcel", { id: `p${number}`, place: "Oslo" });
      // An invalid index, as an interrupted build leaves it.
      await client.query(
        `UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = to_regclass('"Parcel unique code"') AND indisvalid`,
      );
    };
    const { store, cuts } = await startCutOff(() => start(more), goesOn);
    assert.ok(cuts > 2, String(cuts));
    assert.equal(former.status().servingState, "serving");
    await insert(store, "Parcel", { id: "x", code: "1", near: "p1" });
    await assert.rejects(insert(store, "Parcel", { id: "y", code: "1" }), /duplicate of Parcel: code/);
    await assert.rejects(insert(store, "Parcel", { id: "y", near: "none" }), /unknown reference/);
    assert.equal(await read(store, `SELECT count(*) FROM "Parcel" WHERE colour = 'red'`), number);
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM pg_index WHERE NOT indisvalid) AS half,
        (SELECT count(*)::int FROM pg_constraint WHERE NOT convalidated) AS unproved,
        (SELECT count(*)::int FROM ninefold_meta WHERE name = 'aim') AS started`,
    );
    assert.deepEqual(rows, [{ half: 0, unproved: 0, started: 0 }]);
  });
});

test("an unfinished addition for one document is removed for another that doesn't need it", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    for (const number of [12, 18, 24]) {
      const cut = cutBefore(number, hangUp);
      await assert.rejects(start(more).finally(() => cut.restore()));
    }
    // Its own version is a number: the other one's unfinished work is not mistaken for it.
    const other = await start(documentOf(parcel("code | integer |")));
    await insert(other, "Parcel", { id: "a", code: 7 });
    await insert(former, "Parcel", { id: "b", place: "Oslo" });
    const client = await schema.connect();
    const { rows } = await client.query(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'Parcel' ORDER BY 1`,
      [schema.name],
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["#revision", "#row", "code", "id", "place"],
    );
    assert.equal((await client.query(`SELECT to_regclass('"Note"') AS found`)).rows[0].found, null);
  });
});

test("an unfinished addition is continued when no instance serves any more", async () => {
  await onSchema(async (start, schema) => {
    const former = await start(first);
    const client = await schema.connect();
    const hasColumn = async () =>
      (
        await client.query(
          `SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND column_name = 'colour'`,
          [schema.name],
        )
      ).rows.length > 0;
    for (let number = 12; !(await hasColumn()); number += 1) {
      const cut = cutBefore(number, hangUp);
      await assert.rejects(start(more).finally(() => cut.restore()));
    }
    await former.close();
    const later = await start(more);
    await insert(later, "Parcel", { id: "a", code: "1" });
    assert.equal(await read(later, `SELECT code FROM "Parcel"`), "1");
  });
});

test("an interrupted incompatible change leaves everything unchanged, and former instances serve", async () => {
  await onSchema(async (start) => {
    const former = await start(first);
    await insert(former, "Parcel", { id: "a", place: "Oslo" });
    let number = 0;
    const { store, cuts } = await startCutOff(
      () => start(renamed),
      async () => {
        await until(() => former.status().servingState === "serving");
        assert.equal(await read(former, `SELECT place FROM "Parcel" WHERE id = 'a'`), "Oslo");
        number += 1;
        await insert(former, "Parcel", { id: `p${number}`, place: "Rome" });
      },
    );
    assert.ok(cuts > 2, String(cuts));
    assert.equal(await read(store, `SELECT count(*) FROM "Parcel" WHERE town = 'Rome'`), number);
    await until(() => former.status().servingState === "superseded");
  });
});

test("processes under load: no request is rejected during an addition, the former ones drain and are superseded, and nothing acknowledged is lost", async () => {
  const { acknowledged, refusedDuringAdditions, lost, twice, odd } = await roll(0);
  assert.ok(acknowledged >= 200);
  assert.deepEqual(
    { refusedDuringAdditions, lost, twice, odd },
    { refusedDuringAdditions: 0, lost: 0, twice: 0, odd: [] },
  );
});
