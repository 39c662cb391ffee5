/** Store contract: sequences, row numbers, timers and settings in every store. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachStore } from "./each-store.ts";
import type { Frame, RecordValue } from "../../src/expressions/value.ts";
import { Conflict, type Store, type Transaction } from "../../src/store/store.ts";
import { statementOf, openTestStore, storePath } from "../../src/store/test-files.ts";
import { field, model, position, resource } from "../../src/store/test-model.ts";

const frame = {} as Frame;

const shops = model([
  resource("Shop", [
    field("name", "string", { rules: [{ rule: "unique" }, { rule: "any case" }] }),
    field("open", "boolean"),
    field("rating", "number"),
    field("tags", { kind: "list", of: { kind: "string" } }),
    field("notes", { kind: "map", of: { kind: "string" } }),
    field("seen_at", "timestamp"),
    field("pause", "duration"),
  ]),
  resource("Parcel", [field("shop", { kind: "reference", resource: "Shop" }), field("reference", "string")], {
    unique: [{ fields: ["shop", "reference"], position }],
  }),
]);

/** Returns the error of a failed write. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail("nothing was refused"),
    (error: unknown) => error,
  );
}

async function counts(store: { session: Transaction | Store["session"] }, table: string): Promise<unknown> {
  return store.session.value(statementOf(`SELECT count(*) FROM "${table}"`), frame);
}

onEachStore("a write is rejected for its first error, even if the store detects it later", async (open) => {
  const store = await open(shops);
  const insert = (id: string, name: string, refusal?: Error) =>
    store.write(
      async (transaction) => {
        await transaction.insert("Shop", { id, name });
        if (refusal) throw refusal;
      },
      { repeatable: true },
    );
  await insert("s1", "Ada");
  const own = new Error("no such shop, please");
  const both = await Promise.all([refusal(insert("s2", "ADA", own)), refusal(insert("s3", "Bob", own))]);
  assert.ok(both[0] instanceof Conflict, String(both[0]));
  assert.equal(both[1], own);
  assert.ok((await refusal(insert("s4", "ada", own))) instanceof Conflict);
  assert.equal(await counts(store, "Shop"), 1);
});

onEachStore("a record is read as it was stored, with its row number and revision", async (open) => {
  const store = await open(shops);
  const fields = {
    id: "s1",
    name: "Ada",
    open: true,
    rating: 4,
    tags: ["a", "b"],
    notes: { constructor: "x" },
    seen_at: "2026-11-20T10:00:00.000Z",
    pause: 90_000,
  };
  const made = await store.write(async (transaction) => transaction.insert("Shop", fields));
  assert.deepEqual(made, { "#row": 1, "#revision": 1, ...fields });
  const read = await store.write(async (transaction) => {
    // A revision that isn't the stored one makes the store read the record back.
    return transaction.update("Shop", { ...made, "#revision": 7 }, { open: false });
  });
  assert.deepEqual(JSON.parse(JSON.stringify(read)), { "#row": 1, "#revision": 2, ...fields, open: false });
  // A map has no inherited properties.
  assert.equal("toString" in (read["notes"] as object), false);
});

onEachStore("an update of an outdated copy keeps concurrent changes of other fields", async (open) => {
  const store = await open(shops);
  const after = await store.write(async (transaction) => {
    const first = await transaction.insert("Shop", { id: "s1", name: "Ada" });
    await transaction.update("Shop", first, { rating: 3 });
    return transaction.update("Shop", first, { open: true });
  });
  assert.deepEqual([after["rating"], after["open"], after["#revision"]], [3, true, 3]);
});

onEachStore("a change without fields raises no revision", async (open) => {
  const store = await open(shops);
  const after = await store.write(async (transaction) => {
    const first = await transaction.insert("Shop", { id: "s1", name: "Ada" });
    return transaction.update("Shop", first, {});
  });
  assert.equal(after["#revision"], 1);
});

onEachStore("violated constraints are reported with their fields", async (open) => {
  const store = await open(shops);
  await store.write(async (transaction) => {
    await transaction.insert("Shop", { id: "s1", name: "Ada" });
    await transaction.insert("Parcel", { id: "p1", shop: "s1", reference: "r" });
  });
  const cases: [
    string,
    (transaction: Transaction) => unknown,
    Pick<Conflict, "kind" | "resource" | "fields">,
  ][] = [
    [
      "identifier",
      (transaction) => transaction.insert("Shop", { id: "s1", name: "Bo" }),
      { kind: "duplicate", resource: "Shop", fields: ["id"] },
    ],
    [
      "any case",
      (transaction) => transaction.insert("Shop", { id: "s2", name: "ADA" }),
      { kind: "duplicate", resource: "Shop", fields: ["name"] },
    ],
    [
      "joint",
      (transaction) => transaction.insert("Parcel", { id: "p2", shop: "s1", reference: "r" }),
      { kind: "duplicate", resource: "Parcel", fields: ["shop", "reference"] },
    ],
    [
      "reference",
      (transaction) => transaction.insert("Parcel", { id: "p3", shop: "unknown" }),
      { kind: "unknown reference", resource: "Parcel", fields: ["shop"] },
    ],
  ];
  for (const [name, change, expected] of cases) {
    const error = await refusal(store.write(async (transaction) => change(transaction)));
    assert.ok(error instanceof Conflict, name);
    assert.deepEqual({ kind: error.kind, resource: error.resource, fields: error.fields }, expected, name);
  }
});

onEachStore("joint unique fields with a null never conflict", async (open) => {
  const store = await open(shops);
  await store.write(async (transaction) => {
    await transaction.insert("Shop", { id: "s1", name: "Ada" });
    await transaction.insert("Parcel", { id: "p1", shop: "s1" });
    await transaction.insert("Parcel", { id: "p2", shop: "s1", reference: null });
    await transaction.insert("Parcel", { id: "p3", reference: "r" });
    await transaction.insert("Parcel", { id: "p4", reference: "r" });
  });
  assert.equal(await counts(store, "Parcel"), 4);
});

onEachStore("a conflict that a write catches doesn't affect the rest of the write", async (open) => {
  const store = await open(shops);
  await store.write(async (transaction) => {
    await transaction.insert("Shop", { id: "s1", name: "Ada" });
    await assert.rejects(async () => transaction.insert("Shop", { id: "s1", name: "Bo" }), Conflict);
    await transaction.insert("Shop", { id: "s2", name: "Cy" });
  });
  assert.equal(await counts(store, "Shop"), 2);
});

onEachStore("a savepoint is rolled back alone, and so are nested ones", async (open) => {
  const store = await open(shops);
  await store.write(async (transaction) => {
    await transaction.insert("Shop", { id: "s1", name: "Ada" });
    const failed = transaction.part(async () => {
      await transaction.insert("Shop", { id: "s2", name: "Bo" });
      await transaction.part(async () => transaction.insert("Shop", { id: "s3", name: "Cy" }));
      throw new Error("no");
    });
    await assert.rejects(failed, /no/);
    await transaction.part(async () => transaction.insert("Shop", { id: "s4", name: "Di" }));
  });
  const names = await store.session.value(statementOf(`SELECT string_agg(id, ',') FROM "Shop"`), frame);
  assert.equal(names, "s1,s4");
});

test("sequences count from 1 within their scope, without gaps after a failure", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, shops, path);
  const next = (within: string): Promise<number> =>
    store.write(async (transaction) => transaction.next("number", within));
  assert.deepEqual([await next("a"), await next("a"), await next("b")], [1, 2, 1]);
  await assert.rejects(
    store.write(async (transaction) => {
      await transaction.next("number", "a");
      throw new Error("no");
    }),
  );
  assert.equal(await next("a"), 3);
  await store.close();
  const again = await openTestStore(t, shops, path);
  assert.equal(await again.write(async (transaction) => transaction.next("number", "a")), 4);
});

test("a row number is never reused", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, shops, path);
  const record = await store.write(async (transaction) =>
    transaction.insert("Shop", { id: "s1", name: "Ada" }),
  );
  await store.write(async (transaction) => transaction.delete("Shop", record));
  await store.close();
  const again = await openTestStore(t, shops, path);
  const second = await again.write(async (transaction) =>
    transaction.insert("Shop", { id: "s1", name: "Ada" }),
  );
  assert.equal(second["#row"], 2);
});

test("timers are due in their order, can wait for a change, and survive a restart", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, shops, path);
  const timer = (row: number, transition = "lapse") => ({ resource: "Parcel", row, transition, end: 0 });
  assert.equal(await store.session.system.nextDue(), null);
  await store.write(async ({ system }) => {
    await system.setTimer(timer(1), 300);
    await system.setTimer(timer(2), 200);
    await system.setTimer(timer(3), 100);
    await system.setTimer(timer(3), null);
  });
  assert.deepEqual(
    (await store.session.system.dueTimers(250, 9)).map((due) => due.row),
    [2],
  );
  assert.deepEqual(
    (await store.session.system.dueTimers(300, 9)).map((due) => due.row),
    [2, 1],
  );
  assert.deepEqual(await store.session.system.dueTimers(300, 9, "Parcel", 1), [
    { ...timer(1), dueAt: 300, failures: 0 },
  ]);
  const { system: requested } = store.session;
  assert.deepEqual(
    [await requested.countDue(150, 9), await requested.countDue(250, 9), await requested.countDue(300, 9)],
    [0, 1, 2],
  );
  assert.equal(await requested.countDue(300, 1), 1);
  await store.write(async ({ system }) => system.holdTimer(timer(2)));
  assert.equal(await store.session.system.nextDue(), 300);
  await store.write(async ({ system }) => {
    await system.wakeTimers("Parcel", 2, 150);
    await system.postponeTimer(timer(1), 900, 1);
  });
  await store.close();
  const again = await openTestStore(t, shops, path);
  assert.deepEqual(await again.session.system.dueTimers(1000, 9), [
    { ...timer(2), dueAt: 200, failures: 0 },
    { ...timer(1), dueAt: 900, failures: 1 },
  ]);
  await again.write(async ({ system }) => {
    await system.holdTimer(timer(2));
    await system.wakeAllTimers("Parcel", 250);
  });
  assert.deepEqual(await again.session.system.dueTimers(250, 9), [{ ...timer(2), dueAt: 250, failures: 0 }]);
  await again.write(async ({ system }) => system.clearTimers("Parcel", 1));
  assert.deepEqual(
    (await again.session.system.dueTimers(1000, 1)).map((due) => due.row),
    [2],
  );
});

onEachStore("a timer that a failed write removed is due again", async (open) => {
  const store = await open(shops);
  const timer = { resource: "Parcel", row: 1, transition: "lapse", end: 0 };
  await store.write(async ({ system }) => system.setTimer(timer, 100));
  await assert.rejects(
    store.write(async ({ system }) => {
      await system.setTimer(timer, null);
      throw new Error("no");
    }),
  );
  assert.equal((await store.session.system.dueTimers(100, 9)).length, 1);
});

onEachStore("stored responses are found until they expire", async (open) => {
  const store = await open(shops);
  const answer = {
    method: "POST",
    path: "/v1/parcels",
    bodyHash: "h",
    status: 201,
    headers: [["Location", "/x"]] as const,
    body: "{}",
    until: 500,
  };
  await store.write(async ({ system }) => system.keepAnswer("key_1", "k", answer));
  const found = (key: string, now: number) =>
    store.write(async ({ system }) => system.idempotent("key_1", key, now));
  assert.deepEqual(await found("k", 499), answer);
  assert.equal(await found("k", 500), null);
  assert.equal(await found("other", 0), null);
});

onEachStore("stored responses are deleted gradually after they expire, and none before", async (open) => {
  const store = await open(shops);
  const answer = { method: "POST", path: "/", bodyHash: "h", status: 201, headers: [], body: "{}" };
  const keep = (from: number, until: number) =>
    store.write(async ({ system }) => {
      for (let number = from; number < from + 64; number += 1)
        await system.keepAnswer("key_1", `k${number}`, { ...answer, until });
    });
  const queryAt = (now: number) => store.write(async ({ system }) => system.idempotent("key_1", "k0", now));
  await keep(0, 500);
  assert.equal(await counts(store, "ninefold_idempotency"), 64);
  await queryAt(499);
  await keep(64, 900);
  assert.equal(await counts(store, "ninefold_idempotency"), 128);
  await queryAt(500);
  // The clock is set back; an expired lease stays expired.
  await queryAt(400);
  await keep(128, 900);
  assert.equal(await counts(store, "ninefold_idempotency"), 128);
});

onEachStore("events are numbered upwards in the order in which they are stored", async (open) => {
  const store = await open(shops);
  const event = {
    id: "e",
    type: "parcel.moved",
    time: "2026",
    resource: "Parcel",
    row: 1,
    subject: "p",
    payload: "{}",
  };
  assert.deepEqual(await store.session.system.logSpan(), { first: null, last: 0 });
  const numbers = await Promise.all(
    [1, 2, 3].map(() => store.write(async ({ system }) => system.appendEvents([event, event]))),
  );
  assert.deepEqual(numbers, [
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  assert.deepEqual(await store.session.system.logSpan(), { first: 1, last: 6 });
});

test("settings are stored, and a store with only settings is empty", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, shops, path);
  await store.write(async ({ system }) => system.setSetting("secret", "x"));
  assert.equal(await store.session.system.setting("secret"), "x");
  assert.equal(await store.session.system.setting("other"), null);
  assert.equal(await store.isEmpty(), true);
  await store.write(
    async (transaction): Promise<RecordValue> => transaction.insert("Shop", { id: "s1", name: "Ada" }),
  );
  assert.equal(await store.isEmpty(), false);
});

onEachStore(
  "objects are stored in one form: all parts in the document's order, and no others",
  async (open) => {
    const address = resource("Address", [field("line", "string"), field("city", "string")], {
      identifier: { kind: "none" },
    });
    const of = model([
      address,
      resource("Parcel", [field("stops", { kind: "list", of: { kind: "value", resource: "Address" } })]),
    ]);
    const store = await open(of);
    await store.write(async (transaction) =>
      transaction.insert("Parcel", { id: "p", stops: [{ city: "Oslo", other: 1 }, { line: "1" }] }),
    );
    const stored = await store.session.value(statementOf(`SELECT stops FROM "Parcel"`), frame);
    assert.equal(stored, `[{"line":null,"city":"Oslo"},{"line":"1","city":null}]`);
  },
);
