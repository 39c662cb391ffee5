/** Several instances on one schema: their writes run as if one after another, each is told of the others', and one of them sends deliveries. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Frame } from "../../src/expressions/value.ts";
import { openStore } from "../../src/store/index.ts";
import { StoreMismatch, StoreRefused, StoreUnavailable } from "../../src/store/errors.ts";
import type { Commit, Store, Transaction } from "../../src/store/store.ts";
import { ask } from "../../src/store/test-files.ts";
import { field, meaningOf, model, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const notes = model([
  resource("Note", [field("text", "string", { rules: [{ rule: "unique" }] }), field("place", "integer")]),
]);
const open = (path: string) => openStore(notes, meaningOf(notes), { path });

let schema: Schema;
let stores: readonly [Store, Store];

before(async () => {
  schema = await freshSchema();
  // Both at once: one makes the tables, the other finds them.
  stores = await Promise.all([open(schema.url), open(schema.url)]);
});

after(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await schema.drop();
});

const count = async (of: Pick<Transaction, "value">, where = "TRUE") =>
  Number(await of.value(ask(`SELECT count(*) FROM "Note" WHERE ${where}`), frame));

/** The same work by both, in turns, all at once. */
function byBoth<T>(times: number, work: (transaction: Transaction, at: number) => Promise<T>): Promise<T[]> {
  const writes = Array.from({ length: times }, (_, at) =>
    (stores[at % 2] as Store).write((transaction) => work(transaction, at), { repeatable: true }),
  );
  return Promise.all(writes);
}

test("a sequence has no gap and no number twice", async () => {
  const numbers = await byBoth(40, (transaction) => Promise.resolve(transaction.next("note", "")));
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
});

test("what a write has found stays true until it is stored", async () => {
  await byBoth(40, async (transaction, at) => {
    if ((await count(transaction, "place = 1")) < 10)
      await transaction.insert("Note", { id: `skew${at}`, text: `skew${at}`, place: 1 });
  });
  assert.equal(await count(stores[0].session, "place = 1"), 10);
});

test("of two that want the same text one is refused, and the log has the event of the other alone", async () => {
  const told = { type: "note.made", time: "2026-11-20T10:00:00.000Z", resource: "Note", row: 1, subject: "" };
  const outcomes = await Promise.allSettled(
    stores.map((store, at) =>
      store.write(
        async (transaction) => {
          await transaction.insert("Note", { id: `same${at}`, text: "same", place: 2 });
          await transaction.system.appendEvents([{ ...told, id: `event${at}`, payload: "{}" }]);
        },
        { repeatable: true },
      ),
    ),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const events = await stores[1].session.system.events();
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [1],
  );
  assert.deepEqual(await stores[0].session.system.logSpan(), { first: 1, last: 1 });
});

test("a commit wakes the other instance and says which records it was about", async () => {
  const heard: Commit[] = [];
  const forget = stores[1].onCommit((commit) => heard.push(commit));
  const made = await stores[0].write(async (transaction) =>
    transaction.insert("Note", { id: "heard", text: "heard", place: 3 }),
  );
  while (!heard.some(({ changed }) => changed.get("Note")?.has(made["#row"]))) await pause(20);
  forget();
});

test("one of them sends deliveries, and another one when it is gone", async () => {
  const own = await freshSchema();
  const pair = await Promise.all([open(own.url), open(own.url)]);
  const receiver = { channel: "webhook", resource: "Note", row: 1 } as const;
  await pair[0].write(async ({ system }) => {
    const told = {
      type: "note.made",
      time: "2026-11-20T10:00:00.000Z",
      resource: "Note",
      row: 1,
      subject: "",
    };
    const [event] = await system.appendEvents([{ ...told, id: "e1", payload: "{}" }]);
    const delivery = {
      id: "d1",
      event: event as number,
      content: null,
      queue: null,
      record: null,
      createdAt: 0,
    };
    await system.deliveries.add([{ ...receiver, ...delivery }]);
  });
  const dueAt = (store: Store) => store.session.system.deliveries.due(receiver, 1, 9);
  const [sender, other] = (await dueAt(pair[0])).length > 0 ? pair : [pair[1], pair[0]];
  assert.deepEqual(
    (await dueAt(sender)).map(({ id }) => id),
    ["d1"],
  );
  assert.deepEqual(await dueAt(other), []);
  await sender.close();
  while ((await dueAt(other)).length === 0) await pause(50);
  assert.deepEqual(
    (await dueAt(other)).map(({ id }) => id),
    ["d1"],
  );
  await other.close();
  await own.drop();
});

test("connections that the server ends are made again, and nothing that was acknowledged is lost", async () => {
  const client = await schema.connect();
  const acknowledged: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const writes = Array.from({ length: 20 }, async (_, at) => {
      const id = `round${round}.${at}`;
      try {
        await (stores[at % 2] as Store).write(
          async (transaction) => transaction.insert("Note", { id, text: id, place: 4 }),
          { repeatable: true },
        );
        acknowledged.push(id);
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable && error.retryable, String(error));
      }
    });
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ninefold' AND query LIKE '%Note%'",
    );
    await Promise.all(writes);
  }
  const stored = new Set(
    (await client.query(`SELECT id FROM "Note" WHERE place = 4`)).rows.map(({ id }) => id),
  );
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
  const id = "after";
  await stores[0].write(async (transaction) => transaction.insert("Note", { id, text: id, place: 5 }), {
    repeatable: true,
  });
  assert.equal(await count(stores[1].session, "place = 5"), 1);
});

test("a schema of another document, of somebody else, and no server at all are refused in a line", async () => {
  const other = model([resource("Note", [])], { name: "Other" });
  const belongs = openStore(other, meaningOf(other), { path: schema.url });
  await assert.rejects(
    belongs,
    (error) => error instanceof StoreRefused && /another document/.test(error.message),
  );
  const foreign = await freshSchema();
  await (await foreign.connect()).query("CREATE TABLE thing (name text)");
  await assert.rejects(
    open(foreign.url),
    (error) => error instanceof StoreRefused && /someone else/.test(error.message),
  );
  await foreign.drop();
  const nobody = open("postgres://nobody@127.0.0.1:1/nothing");
  await assert.rejects(
    nobody,
    (error) => error instanceof StoreRefused && /ECONNREFUSED/.test(error.message),
  );
});

test("what a document adds is added, and what it would lose is told first", async () => {
  const own = await freshSchema();
  const first = await open(own.url);
  await first.write(async (transaction) => transaction.insert("Note", { id: "a", text: "a", place: 1 }));
  await first.close();
  const more = model([
    resource("Note", [
      field("text", "string", { rules: [{ rule: "unique" }] }),
      field("place", "integer"),
      field("colour", "string"),
    ]),
    resource("Tag", [field("note", { kind: "reference", resource: "Note" })]),
  ]);
  const second = await openStore(more, meaningOf(more), { path: own.url });
  await second.write(async (transaction) => transaction.insert("Tag", { id: "t", note: "a" }));
  await second.close();
  await assert.rejects(open(own.url), (error) => error instanceof StoreMismatch && error.losses.length === 1);
  const client = await own.connect();
  assert.equal((await client.query(`SELECT count(*)::int AS n FROM "Tag"`)).rows[0]?.n, 1);
  await own.drop();
});

test("what the document asks and PostgreSQL can't be asked is told in a line at the start", async () => {
  const own = await freshSchema();
  const twin = join(import.meta.dirname, "../../examples/twins/meilisearch.md");
  const args = ["serve", twin, "--store", own.url, "--port", "0", "--no-operations"];
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../bin/ninefold"), ...args]);
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const [code] = await once(child, "close");
  assert.equal(code, 3, told);
  assert.match(told, /asks something of its records that PostgreSQL can't be asked: `hmac`/);
  assert.doesNotMatch(told, /^\s+at /m);
  await own.drop();
});
