/**
 * Moving a store between files and PostgreSQL: all four directions, interruptions and rejections.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Frame, RecordValue } from "../../src/expressions/value.ts";
import { copyStore, openStore, StoreRefused, StoreUnavailable } from "../../src/store/index.ts";
import { movedSystemTables } from "../../src/store/move/moved-table.ts";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { MigrationSession } from "../../src/store/postgres/migrations/session.ts";
import { servingProcesses } from "../../src/store/postgres/migrations/migration-lock.ts";
import { openSource as openSchema } from "../../src/store/postgres/move-ends.ts";
import { openSource as openFile } from "../../src/store/sqlite/move-ends.ts";
import type { Store, Transaction } from "../../src/store/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, position, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "../postgres/server.ts";
import { documentIn, longestOf, thereAndBack } from "./document-moves.ts";

const frame = {} as Frame;
const desk = model([
  resource(
    "Shop",
    [
      field("name", "string", { rules: [{ rule: "unique" }, { rule: "any case" }] }),
      field("open", "boolean"),
      field("rating", "number"),
      field("count", "integer"),
      field("price", "decimal"),
      field("tags", { kind: "list", of: { kind: "string" } }),
      field("anything", "json"),
      field("seen_at", "timestamp"),
      field("born", "date"),
      field("pause", "duration"),
      field("xmin", "string"),
      field(`long_${"name".repeat(20)}`, "string"),
    ],
    // A timed transition changes the record.
    { kept: { milliseconds: 1, after: "seen_at", position } },
  ),
  resource("Parcel", [field("shop", { kind: "reference", resource: "Shop" }), field("reference", "string")], {
    identifier: { kind: "joint", fields: ["shop", "reference"] },
    unique: [{ fields: ["shop", "reference"], position }],
    deleted: "marked",
  }),
  resource("Empty", []),
]);
/**
 * Everything that a test has opened: an open store would keep the process alive when a test fails.
 */
const held: Closed[] = [];
interface Closed {
  close(): Promise<unknown>;
}
async function holding<T extends Closed>(opening: Promise<T> | T): Promise<T> {
  const closable = await opening;
  const close = closable.close.bind(closable);
  let closing: Promise<unknown> | undefined;
  closable.close = () => (closing ??= close());
  held.push(closable);
  return closable;
}
const opened = (path: string) => holding(openStore(desk, meaningOf(desk), { path }));

let folder: string;
let schemas: readonly Schema[];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-moving-"));
  schemas = await Promise.all([
    freshSchema(),
    freshSchema(),
    freshSchema(),
    freshSchema(),
    freshSchema(),
    freshSchema(),
  ]);
});
after(async () => {
  await Promise.allSettled(held.map((closed) => closed.close()));
  for (const schema of schemas) await schema.drop();
  rmSync(folder, { recursive: true });
});
const file = (name: string) => join(folder, name);
const urlOf = (at: number) => (schemas[at] as Schema).url;

const odd = ["", "a\tb\\N\\\\\r\n", "Ärger 𝄞 ﬃ", "\\.", "'\"`", "x".repeat(3_000)];

/** Stores one row of every kind. */
async function fill(store: Store, shops: number): Promise<void> {
  await store.write(async (transaction) => {
    for (let at = 0; at < shops; at += 1)
      await transaction.insert("Shop", {
        id: `s${at}`,
        name: `${odd[at % odd.length]}${at}`,
        open: [true, false, null][at % 3] as boolean | null,
        rating: [0.1, 1e21, 5, 1e-7, 123456789.12345679, null][at % 6] as number | null,
        count: [9007199254740991, -9007199254740991, 0, null][at % 4] as number | null,
        price: ["12.50", "0.1", "100000000000000000000.000000001", null][at % 4] as string | null,
        tags: at % 2 === 0 ? ["b", odd[at % odd.length] as string] : null,
        anything: [{ z: 1, a: [null, 1.5, "\u2028"] }, 1e100, "text", null][at % 4] as never,
        seen_at: ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-11-20T10:00:00.120Z"][
          at % 3
        ] as string,
        born: ["0001-01-01", "9999-12-31", "2024-02-29"][at % 3] as string,
        pause: [90_000, 0, -1][at % 3] as number,
        xmin: odd[at % odd.length] as string,
        [`long_${"name".repeat(20)}`]: "there",
      });
    const parcels: RecordValue[] = [];
    for (const reference of ["p1", "p2", "p3"])
      parcels.push(await transaction.insert("Parcel", { shop: "s0", reference }));
    await transaction.delete("Parcel", parcels[1] as RecordValue);
    // Its row number is not assigned again.
    await transaction.delete("Empty", await transaction.insert("Empty", { id: "gone" }));
    await transaction.next("invoice", "s0");
    await transaction.next("invoice", "s0");
    await engineRows(transaction);
  });
}

const event = {
  type: "shop.made",
  time: "2026-11-20T10:00:00.000Z",
  resource: "Shop",
  row: 1,
  subject: "s0",
};
const receiver = { channel: "webhook", resource: "Shop", row: 1 } as const;

async function engineRows({ system }: Transaction): Promise<void> {
  const [first] = await system.appendEvents([
    { ...event, id: "e1", payload: '{"a": "\\n"}' },
    { ...event, id: "e2", payload: "{}", record: '{"name":"x"}' },
  ]);
  const made = { id: "d1", event: first as number, content: null, queue: "s0", record: null, createdAt: 5 };
  await system.deliveries.add([
    { ...receiver, ...made },
    { ...receiver, ...made, id: "d2", queue: null },
  ]);
  await system.setTimer({ resource: "Shop", row: 1, transition: "close", end: 0 }, 1_000);
  await system.setTimer({ resource: "Shop", row: 2, transition: "close", end: 0 }, 2_000);
  await system.holdTimer({ resource: "Shop", row: 2, transition: "close", end: 0 });
  await system.setSetting("key of cursors", "secret");
  const headers = [["Content-Type", "application/json"]] as const;
  const answer = {
    method: "POST",
    path: "/shops",
    bodyHash: "h",
    status: 201,
    headers,
    body: "{}",
    until: 9e12,
  };
  await system.keepAnswer("caller", "key", answer);
}

/** Behaviour after the move: sequences continue, stored values are found, the log is readable. */
async function goesOn(store: Store): Promise<unknown> {
  return store.write(async (transaction) => {
    const { system } = transaction;
    return {
      row: (await transaction.insert("Empty", { id: "next" }))["#row"],
      next: await transaction.next("invoice", "s0"),
      other: await transaction.next("invoice", "s1"),
      events: await system.appendEvents([{ ...event, id: "e3", payload: "{}" }]),
      due: await system.dueTimers(5_000, 10),
      setting: await system.setting("key of cursors"),
      answer: await system.idempotent("caller", "key", 1),
    };
  });
}

test("all content of a store is copied there and back, and the store continues as the original", async () => {
  const first = await opened(file("first.db"));
  await fill(first, 30);
  await first.close();
  const there = await copyStore(file("first.db"), urlOf(0));
  const alongside = await copyStore(urlOf(0), urlOf(1));
  const back = await copyStore(urlOf(1), file("back.db"));
  const same = await copyStore(file("back.db"), file("same.db"));
  for (const moved of [alongside, back, same]) assert.deepEqual(moved.tables, there.tables);
  assert.deepEqual(
    there.tables.map(({ name, rows }) => [name, rows]),
    [
      ["Shop", 30],
      ["Parcel", 3],
      ["Empty", 0],
      ["ninefold_settings", 1],
      ["ninefold_sequences", 1],
      ["ninefold_events", 2],
      ["ninefold_deliveries", 2],
      ["ninefold_receivers", 1],
      ["ninefold_timers", 2],
      ["ninefold_idempotency", 1],
    ],
  );
  const seen: unknown[] = [];
  for (const path of [file("first.db"), urlOf(0), urlOf(1), file("back.db"), file("same.db")]) {
    const store = await opened(path);
    seen.push(await goesOn(store));
    await store.close();
  }
  assert.equal((seen[0] as { row: number }).row, 2);
  for (const result of seen) assert.deepEqual(result, seen[0]);
});

/** A copy by another process, which is killed half-way. Proxies of this process go on meanwhile. */
async function killMove(from: string, to: string): Promise<void> {
  const script = join(import.meta.dirname, "killed-move.ts");
  const child = spawn(process.execPath, [script, from, to, "3"], { stdio: ["ignore", "ignore", "inherit"] });
  assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
}

test("a killed copy resumes, and isn't a store until it is finished", async () => {
  const store = await opened(file("large.db"));
  for (let at = 0; at < 5; at += 1)
    await store.write(async (transaction) => {
      for (let number = 0; number < 1_000; number += 1)
        await transaction.insert("Empty", { id: `${at}.${number}` });
    });
  await fill(store, 5);
  await store.close();
  const tried: (readonly [string, string])[] = [
    [file("large.db"), urlOf(2)],
    [urlOf(2), file("large-back.db")],
  ];
  for (const [from, to] of tried) {
    await killMove(from, to);
    await refused(opened(to), /is a copy of .* that isn't finished.*/);
    await refused(copyStore(file("first.db"), to), /is a copy of .* that isn't finished/);
    const { resumedAt, tables } = await copyStore(from, to);
    assert.equal(resumedAt > 0, true);
    assert.equal(tables.find(({ name }) => name === "Empty")?.rows, 5_000);
    await (await opened(to)).close();
    await refused(copyStore(from, to), /is a store already/);
  }
});

test("an interrupted copy is resumed, and reports its progress in all", async () => {
  const [from, to] = [file("small.db"), file("small-copy.db")];
  const store = await opened(from);
  await fill(store, 30);
  await store.close();
  const enough = new Error("enough");
  await assert.rejects(
    copyStore(from, to, {
      onRows() {
        throw enough;
      },
    }),
    enough,
  );
  const reported: unknown[][] = [];
  const { resumedAt } = await copyStore(from, to, { onRows: (...line) => void reported.push(line) });
  assert.equal(resumedAt, 30);
  const of = (what: string) => reported.filter(([name]) => name === what);
  assert.deepEqual(of("Copying")[0], ["Copying", 33, 43]);
  assert.deepEqual(of("Copying").at(-1), ["Copying", 43, 43]);
  assert.deepEqual(of("Comparing")[0], ["Comparing", 30, 43]);
  assert.deepEqual(of("Comparing").at(-1), ["Comparing", 43, 43]);
});

test("a source that was served between two attempts is detected", async () => {
  await killMove(file("large.db"), urlOf(3));
  const store = await opened(file("large.db"));
  await store.write(async (transaction) => {
    const [shop] = await transaction.records(
      store.prepareRecords({ resource: "Shop", where: [], order: [] }),
      frame,
    );
    await transaction.update("Shop", shop as RecordValue, { open: true, pause: 77 });
  });
  await store.close();
  await refused(
    copyStore(file("large.db"), urlOf(3)),
    /not the same as .*: Shop \(other values in its 5 rows\)/,
  );
  await refused(opened(urlOf(3)), /isn't finished/);
});

test("no process serves either store meanwhile, and a missing or identical store is rejected in one line", async () => {
  const [served, other] = [await opened(file("same.db")), await opened(urlOf(0))];
  await refused(copyStore(file("same.db"), file("none.db")), /in use by this process/);
  await refused(copyStore(urlOf(0), file("none.db")), /in use by another process/);
  await Promise.all([served.close(), other.close()]);
  const source = await holding(openSchema(urlOf(0)));
  await refused(opened(urlOf(0)), /being copied by another process/);
  await source.close();
  await refused(copyStore(file("no.db"), urlOf(4)), /There is no store/);
  await refused(copyStore(urlOf(4), file("none.db")), /There is no store/);
  await refused(copyStore(urlOf(0), urlOf(0)), /into itself/);
  await refused(copyStore(file("first.db"), file("same.db")), /is a store already/);
  const client = await (schemas[4] as Schema).connect();
  await client.query("CREATE TABLE thing (name text)");
  await refused(copyStore(file("first.db"), urlOf(4)), /tables of another application/);
});

test("an instance that was suspended while its store was copied never writes to it again", async () => {
  const schema = schemas[5] as Schema;
  const former = await opened(schema.url);
  const insert = (store: Store, id: string) =>
    store.write(async (transaction) => transaction.insert("Empty", { id }));
  await insert(former, "a");
  const session = await holding(MigrationSession.open(addressOf(schema.url)));
  // Ends the sessions, as the server does for a stopped process. The instance still runs, and may
  // reconnect before the copy starts.
  const copied = async (to: string): Promise<void> => {
    for (const pid of await servingProcesses(session, addressOf(schema.url)))
      await session.go(`SELECT pg_terminate_backend(${pid}, 5000)`);
    await copyStore(schema.url, to).catch((error: unknown) => {
      assert.ok(error instanceof StoreRefused && error.isInUse, String(error));
      return copied(to);
    });
  };
  await copied(file("of-stopped.db"));
  await assert.rejects(insert(former, "b"), StoreUnavailable);
  while (former.status().servingState !== "superseded") await pause(20);
  // A process may start on the new store.
  await insert(await opened(schema.url), "c");
});

test("every engine table is copied, or listed as belonging to one database", async () => {
  // These tables always have rows: the store's description, the write lock, and the log's last
  // number.
  const left = ["ninefold_meta", "ninefold_turn", "ninefold_log"];
  // Locks on a server without advisory locks.
  for (const purpose of ["migration", "serving", "superseding"]) left.push(`ninefold_lock_${purpose}`);
  // A source announces its new deliveries before it is copied.
  left.push("ninefold_announced");
  // A copy doesn't need what running instances hold, nor the used parts of rates.
  left.push("ninefold_instances", "ninefold_keys_under_way", "ninefold_places", "ninefold_rates");
  const moved = movedSystemTables.map(({ name }) => name);
  for (const opening of [() => openFile(file("first.db")), () => openSchema(urlOf(0))]) {
    const source = await holding(opening());
    const tables = await source.ownTables();
    assert.deepEqual(
      tables.filter((name) => !moved.includes(name) && !left.includes(name)),
      [],
      "what isn't moved is said here, with why it may stay behind",
    );
    assert.deepEqual(
      moved.filter((name) => !tables.includes(name)),
      [],
    );
    await source.close();
  }
});

test("a scenario's store is the same after a move to PostgreSQL and back", async () => {
  const document = await documentIn(join(import.meta.dirname, "../../examples/parcel-desk.md"));
  assert.equal((await thereAndBack(document, longestOf(document.model))) > 0, true);
});

async function refused(work: Promise<unknown>, words: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, words);
    return true;
  });
}
