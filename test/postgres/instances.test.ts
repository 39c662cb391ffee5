/**
 * Several instances on one schema: their writes are serializable, each is notified of the others'
 * writes, and each sends the deliveries that it has claimed.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createRequest } from "../../src/engine/http/message.ts";
import { compile } from "../../src/compile.ts";
import { openService } from "../../src/index.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import type { Frame } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { StoreMismatch, StoreRefused, StoreUnavailable } from "../../src/store/errors.ts";
import { lockHolders } from "../../src/store/postgres/connection/session-locks.ts";
import type { AttemptNote, DeliveryState, Receiver } from "../../src/store/deliveries.ts";
import type { ClaimedDelivery, Shared } from "../../src/store/shared.ts";
import type { Commit, Store, Transaction } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { documentWith, selectionPlaces } from "../scope/selection-places.ts";
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
  // Both start at once: one creates the tables, the other finds them.
  stores = await Promise.all([open(schema.url), open(schema.url)]);
});

after(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await schema.drop();
});

const count = async (of: Pick<Transaction, "value">, where = "TRUE") =>
  Number(await of.value(statementOf(`SELECT count(*) FROM "Note" WHERE ${where}`), frame));

/** Runs the work on both instances alternately, all at once. */
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

test("what a write has read stays valid until it is stored", async () => {
  await byBoth(40, async (transaction, at) => {
    if ((await count(transaction, "place = 1")) < 10)
      await transaction.insert("Note", { id: `skew${at}`, text: `skew${at}`, place: 1 });
  });
  assert.equal(await count(stores[0].session, "place = 1"), 10);
});

test("of two writes of the same unique value one is rejected, and the log has only the other's event", async () => {
  const reported = {
    type: "note.made",
    time: "2026-11-20T10:00:00.000Z",
    resource: "Note",
    row: 1,
    subject: "",
  };
  const outcomes = await Promise.allSettled(
    stores.map((store, at) =>
      store.write(
        async (transaction) => {
          await transaction.insert("Note", { id: `same${at}`, text: "same", place: 2 });
          await transaction.system.appendEvents([{ ...reported, id: `event${at}`, payload: "{}" }]);
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

test("a commit wakes the other instance with the changed records", async () => {
  const heard: Commit[] = [];
  const forget = stores[1].onCommit((commit) => heard.push(commit));
  const made = await stores[0].write(async (transaction) =>
    transaction.insert("Note", { id: "heard", text: "heard", place: 3 }),
  );
  // Without LISTEN, any record may have changed.
  const isHeard = ({ changed }: Commit) => {
    const rows = changed.get("Note");
    return rows === null || rows?.has(made["#row"]) === true;
  };
  while (!heard.some(isHeard)) await pause(20);
  forget();
});

const receiver = { channel: "webhook", resource: "Note", row: 1 } as const;
const options = { isFailing: false, nowMs: 1000, places: 100, perReceiver: 4, leaseMs: 60_000 };

/** Adds a due delivery for each queue. */
async function addDeliveries(store: Store, queues: readonly (string | null)[], to: Receiver = receiver) {
  const reported = {
    type: "note.made",
    time: "2026-11-20T10:00:00.000Z",
    resource: "Note",
    row: 1,
    subject: "",
  };
  await store.write(async ({ system }) => {
    for (const [at, queue] of queues.entries()) {
      const event = await system.nextSequence();
      system.appendEvents([{ ...reported, id: `e${at}`, payload: "{}" }]);
      const delivery = {
        id: `d${at}`,
        event,
        content: null,
        queue,
        record: null,
        createdAt: at,
      };
      await system.deliveries.add([{ ...to, ...delivery }]);
    }
  });
}

const noteOf = ({ number, fence }: ClaimedDelivery, state: DeliveryState = "done"): AttemptNote => ({
  number,
  fence,
  state,
  at: 500,
  dueAt: null,
  status: 200,
  error: null,
});
const reported = { startedAt: 400, durationMs: 1, answer: null };

/** Opens two instances on an empty schema for one test. */
async function twoOfTheirOwn(t: TestContext): Promise<readonly [Store, Store]> {
  const own = await freshSchema();
  const pair = await Promise.all([open(own.url), open(own.url)]);
  t.after(async () => {
    await Promise.all(pair.map((store) => store.close()));
    await own.drop();
  });
  return pair;
}

test("each delivery is claimed by one instance, within the limit per receiver over all instances", async (t) => {
  const pair = await twoOfTheirOwn(t);
  await addDeliveries(pair[0], Array(20).fill(null));
  await addDeliveries(pair[0], Array(5).fill(null), { ...receiver, row: 2 });
  const claim = (store: Store) => (store.shared as Shared).claims.claim(options);
  const claimed: ClaimedDelivery[] = [];
  // An instance skips rows that the other one has locked, so one poll may find few.
  for (let look = 0; look < 10; look += 1) claimed.push(...(await Promise.all(pair.map(claim))).flat());
  assert.deepEqual(claimed.map(({ row }) => row).toSorted(), [1, 1, 1, 1, 2, 2, 2, 2]);
  assert.equal(new Set(claimed.map(({ number }) => number)).size, 8);
  const [first] = claimed as [ClaimedDelivery];
  await pair[1].write(({ system }) => system.deliveries.noteAttempt(noteOf(first), reported));
  const [next, ...more] = await claim(pair[1]);
  assert.deepEqual([next?.row, more.length], [first.row, 0]);
  await (pair[1].shared as Shared).claims.release(next as ClaimedDelivery);
  assert.equal((await claim(pair[0]))[0]?.number, next?.number);
});

test("a delivery of a dead instance is claimed again after its lease, and the dead instance's result is ignored", async (t) => {
  const pair = await twoOfTheirOwn(t);
  const claim = (store: Store, leaseMs: number) =>
    (store.shared as Shared).claims.claim({ ...options, leaseMs });
  await addDeliveries(pair[0], [null]);
  const [held] = (await claim(pair[0], 60_000)) as [ClaimedDelivery];
  assert.deepEqual(await claim(pair[1], 60_000), []);
  assert.ok(((await (pair[1].shared as Shared).claims.nextEnd()) ?? 0) > 0);
  await (pair[0].shared as Shared).claims.release(held);
  const [late] = (await claim(pair[0], 1)) as [ClaimedDelivery];
  let again: readonly ClaimedDelivery[] = [];
  while (again.length === 0) again = await claim(pair[1], 60_000);
  assert.deepEqual([again[0]?.number, again[0]?.fence], [late.number, late.fence + 1]);
  const note = (claimed: ClaimedDelivery, state: DeliveryState) =>
    pair[0].write(({ system }) => system.deliveries.noteAttempt(noteOf(claimed, state), reported));
  assert.equal(await note(late, "dead"), null);
  const [row] = await pair[0].session.system.deliveries.list({}, 1);
  assert.deepEqual([row?.state, row?.attempts], ["open", 0]);
  assert.equal((await note(again[0] as ClaimedDelivery, "done"))?.state, "done");
});

test("only the first open delivery of an ordered queue is claimed, by any instance", async (t) => {
  const pair = await twoOfTheirOwn(t);
  await addDeliveries(pair[0], ["q", "q", "q"]);
  const order: string[] = [];
  while (order.length < 3) {
    const claimed = (
      await Promise.all(pair.map((store) => (store.shared as Shared).claims.claim(options)))
    ).flat();
    assert.ok(claimed.length <= 1);
    for (const claimedDelivery of claimed) {
      order.push(claimedDelivery.id);
      await pair[order.length % 2]?.write(({ system }) =>
        system.deliveries.noteAttempt(noteOf(claimedDelivery), reported),
      );
    }
  }
  assert.deepEqual(order, ["d0", "d1", "d2"]);
});

test("a receiver that unsubscribed at one instance stays unsubscribed when another creates a delivery", async (t) => {
  const [store] = await twoOfTheirOwn(t);
  await addDeliveries(store, [null]);
  const [claimed] = (await (store.shared as Shared).claims.claim(options)) as [ClaimedDelivery];
  const gone = { ...noteOf(claimed, "dead"), status: 410, disabledRevision: 3 };
  await store.write(({ system }) => system.deliveries.noteAttempt(gone, reported));
  const [event] = await store.session.system.eventsAfter(0, 1);
  const more = {
    id: "d9",
    event: event?.sequence as number,
    content: null,
    queue: null,
    record: null,
    createdAt: 600,
  };
  const add = (revision: number) =>
    store.write(({ system }) => system.deliveries.add([{ ...receiver, ...more, revision }]));
  await add(3);
  assert.equal((await store.session.system.deliveries.receiver(receiver))?.disabledRevision, 3);
  // The receiver's record was changed, so it receives deliveries again.
  await add(4);
  assert.equal((await store.session.system.deliveries.receiver(receiver))?.disabledRevision, null);
});

test("connections that the server ends are reopened, and no acknowledged write is lost", async () => {
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
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ninefold' AND pid IN
        (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relnamespace = $1::regnamespace)`,
      // The active sessions of this schema: other files' tests share the server.
      [schema.name],
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

test("a schema of another document or owner, and a missing server, are rejected in one line", async () => {
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
    (error) => error instanceof StoreRefused && /another application/.test(error.message),
  );
  await foreign.drop();
  const unreachable = open("postgres://no-user@127.0.0.1:1/nothing");
  await assert.rejects(
    unreachable,
    (error) => error instanceof StoreRefused && /ECONNREFUSED/.test(error.message),
  );
});

test("additions of a document are applied, and losses are reported first", async () => {
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

test("a start reports in one line a query of the document that PostgreSQL can't evaluate", async () => {
  const own = await freshSchema();
  const twin = join(import.meta.dirname, "../../examples/twins/contentful.md");
  const args = ["serve", twin, "--store", own.url, "--port", "0", "--no-operations"];
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../bin/ninefold"), ...args]);
  let reported = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    reported += text;
  });
  const [code] = await once(child, "close");
  assert.equal(code, 3, reported);
  assert.match(
    reported,
    /has a query that PostgreSQL can't evaluate: a function of our own inside of a macro/,
  );
  assert.doesNotMatch(reported, /^\s+at /m);
  await own.drop();
});

test("a start also reports a query that only a change needs, such as a transition that never fired", async () => {
  for (const place of selectionPlaces) {
    const own = await freshSchema();
    const { model } = compile(documentWith(place, ["own(this.code)"]), { file: "picked.md" });
    assert.ok(model);
    const functions = { own: (text: unknown) => text as string };
    const starting = openService(model, { store: own.url, handlers: { functions } });
    await assert.rejects(
      starting.then((service) => service.close()),
      /can't evaluate/,
      place.name,
    );
    // A rejected start leaves no connection open.
    const client = await own.connect();
    const served = await client.query(lockHolders(own.name, "serving"));
    assert.equal(served.rowCount, 0, place.name);
    await own.drop();
  }
});

for (const [what, requested, q, answer] of [
  [
    "a filter",
    '| q | query | string | | `this.title.split(" ").exists(w, w == query.q)` |',
    "Rain",
    ["Rain Man", "Purple Rain"],
  ],
  [
    "an order",
    '- Order: `this.title.split(" ").last()` when `query.q == "title"`\n\n| q | query | string | | |',
    "title",
    ["Rain Man", "Purple Rain"],
  ],
] as const)
  test(`${what} that PostgreSQL can't evaluate is computed by a post-filter, in slices`, async () => {
    const own = await freshSchema();
    const text = `${films}${requested.replace("| q", `${inputs}| q`)}\n`;
    const { model } = compile(text, { file: "films.md" });
    assert.ok(model);
    const store = await openStore(model, meaningOf(model), { path: own.url });
    try {
      await store.write(async (transaction) => {
        await transaction.insert("Film", { id: "first", title: "Rain Man" });
        for (let at = 0; at < 600; at += 1) await transaction.insert("Film", { id: `f${at}`, title: "zz" });
        await transaction.insert("Film", { id: "last", title: "Purple Rain" });
      });
      const ports = { clock: systemClock, log: silentLog, randomBytes: createRandomPool() };
      const service = await createService(model, { store, ports, origin: () => "http://localhost" });
      const response = await service.fetch(
        createRequest({ method: "GET", target: `/films?q=${q}`, headers: [] }),
      );
      const reported = String(response.body);
      assert.equal(response.status, 200, reported);
      assert.deepEqual(
        [...reported.matchAll(/"(Rain Man|Purple Rain)"/g)].map(([, title]) => title),
        answer,
      );
      await service.close();
    } finally {
      await store.close();
      await own.drop();
    }
  });

const films = `# Interface Specification: Films

## Resources and their fields

### Film

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |

## Endpoints

### GET /films

- Does: list Film
- Returns: 200 \`page.items.map(f, f.title)\`
`;
const inputs = `
| Input | In | Type | Rules | Where |
|---|---|---|---|---|
`;

test("a closed store rejects calls and opens no connection that would remain", async () => {
  const store = await open(schema.url);
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
  await store.close();
  const before = sockets();
  await assert.rejects(async () => store.session.system.nextDue(), StoreUnavailable);
  await assert.rejects(async () => count(store.session), StoreUnavailable);
  assert.equal(sockets(), before);
});
