/** What an instance holds under its lease: slots and idempotency keys, also when a statement fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../errors.ts";
import { KeysTable } from "./keys.ts";
import type { InstanceLease, LeaseHolder } from "./lease.ts";
import type { SideConnection } from "./side-connection.ts";
import { SlotsTable } from "./slots.ts";

type Rows = readonly (readonly unknown[])[];

/** A connection whose statements are answered by the test, and a lease with a name. */
function started(rowsOf: (values: readonly unknown[], sql: string) => Rows) {
  const sent: (readonly unknown[])[] = [];
  const state = { id: "one", holders: [] as LeaseHolder[] };
  const side = {
    async execute(statement: { readonly sql: string }, values: readonly unknown[]) {
      sent.push(values);
      return { rows: rowsOf(values, statement.sql), changes: 0, lastRow: 0 };
    },
  } as unknown as SideConnection;
  const lease = {
    id: () => state.id,
    add: (holder: LeaseHolder) => state.holders.push(holder),
  } as unknown as InstanceLease;
  return { side, lease, state, sent };
}

interface Reported {
  readonly key: string;
  readonly most: number;
  readonly asked: number;
  readonly held: number;
}

/** A table of slots in which other instances hold none. */
function slotsWith(free: () => number) {
  const { side, lease, state, sent } = started(([batch]) =>
    (JSON.parse(String(batch)) as Reported[]).map(({ key, most, asked, held }) => [
      key,
      Math.max(0, Math.min(asked, most - held, free())),
    ]),
  );
  const reports = () => sent.map(([batch, holder]) => [JSON.parse(String(batch)) as Reported[], holder]);
  return { slots: new SlotsTable(side, lease), state, sent, reports };
}

test("slots are granted in order up to the limit, and a released one is free again", async () => {
  const { slots, reports } = slotsWith(() => 9);
  assert.deepEqual(await Promise.all([slots.take("k", 2), slots.take("k", 2), slots.take("k", 2)]), [
    true,
    true,
    false,
  ]);
  assert.equal(await slots.take("k", 2), false);
  await slots.leave("k");
  assert.equal(await slots.take("k", 2), true);
  await slots.leave("k");
  await slots.leave("k");
  await slots.leave("k");
  assert.deepEqual(
    reports().map(([batch, holder]) => [
      (batch as Reported[]).map(({ asked, held }) => [asked, held]),
      holder,
    ]),
    [
      [[[3, 0]], "one"],
      [[[1, 2]], "one"],
      [[[0, 1]], "one"],
      [[[1, 1]], "one"],
      [[[0, 1]], "one"],
      [[[0, 0]], "one"],
      [[[0, 0]], "one"],
    ],
  );
});

test("after a renewal nothing is sent again, after a new name every held slot is", async () => {
  const { slots, state, sent, reports } = slotsWith(() => 9);
  await slots.take("a", 1);
  await slots.take("b", 1);
  await slots.leave("b");
  const before = sent.length;
  await slots.renewed();
  assert.equal(sent.length, before);
  state.id = "two";
  await slots.renamed();
  await slots.renewed();
  assert.deepEqual(reports().slice(before), [[[{ key: "a", most: 0, asked: 0, held: 1 }], "two"]]);
  await slots.renewed();
  assert.equal(sent.length, before + 1);
});

test("a total whose report failed, or was sent under a lost name, is sent with the next renewal", async () => {
  let fails = false;
  let isRenamed = false;
  const { side, lease, state, sent } = started(([batch]) => {
    if (fails) throw new Error("away");
    // The lease was lost while the statement ran.
    if (isRenamed) state.id = "two";
    return (JSON.parse(String(batch)) as Reported[]).map(({ key, asked }) => [key, asked]);
  });
  const slots = new SlotsTable(side, lease);
  await slots.take("k", 1);
  fails = true;
  await slots.leave("k");
  fails = false;
  const before = sent.length;
  await slots.renewed();
  assert.equal(sent.length, before + 1);
  await slots.renewed();
  assert.equal(sent.length, before + 1);
  isRenamed = true;
  assert.equal(await slots.take("k", 1), true);
  await slots.renewed();
  assert.deepEqual(
    sent.slice(-2).map(([, holder]) => holder),
    ["one", "two"],
  );
  const after = sent.length;
  await slots.renewed();
  assert.equal(sent.length, after);
});

test("a release that found no lease is sent with the next renewal", async () => {
  const { side, lease, sent } = started(([batch]) =>
    (JSON.parse(String(batch)) as Reported[]).map(({ key, asked }) => [key, asked]),
  );
  const slots = new SlotsTable(side, lease);
  await slots.take("k", 1);
  lease.id = () => Promise.reject(new Error("away"));
  await slots.leave("k");
  lease.id = () => "one";
  const before = sent.length;
  await slots.renewed();
  await slots.renewed();
  assert.equal(sent.length, before + 1);
});

test("slots and keys are held under the lease", () => {
  const { side, lease, state } = started(() => []);
  assert.deepEqual([new SlotsTable(side, lease), new KeysTable(side, lease)], state.holders);
});

/** A table of keys whose claims have this answer, and whose releases may fail. */
function keysWith(answer: () => Rows) {
  const server = { failsReleases: false };
  const { side, lease, sent } = started((_values, sql) => {
    if (sql.startsWith("WITH mine")) return answer();
    if (server.failsReleases) throw new Error("away");
    return [];
  });
  return { keys: new KeysTable(side, lease), sent, server };
}

test("a key is held by this instance, or by another with its request", async () => {
  assert.equal(await keysWith(() => [[1, null]]).keys.begin("k", "POST /a"), null);
  assert.equal(await keysWith(() => [[0, "POST /b"]]).keys.begin("k", "POST /a"), "POST /b");
  // The holder may finish between the two parts of the query.
  const answers = [
    [0, null],
    [0, null],
    [0, null],
    [0, null],
    [1, null],
  ];
  assert.equal(await keysWith(() => [answers.shift() ?? []]).keys.begin("k", "POST /a"), null);
  const never = keysWith(() => [[0, null]]);
  await assert.rejects(
    never.keys.begin("k", "POST /a"),
    (error) => error instanceof StoreUnavailable && error.retryable,
  );
  assert.equal(never.sent.length, 5);
});

test("an instance with a new name claims the keys that it holds, and no others", async () => {
  const { keys, sent } = keysWith(() => [[1, null]]);
  await keys.begin("held", "POST /a");
  await keys.begin("over", "POST /b");
  await keys.end("over");
  const before = sent.length;
  await keys.renamed("one", "two");
  assert.deepEqual(
    sent.slice(before).map((values) => values.slice(-2)),
    [
      ["one", "two"],
      ["POST /a", "two"],
    ],
  );
});

test("a key whose release failed is released with the next renewal, unless it is held again", async () => {
  const { keys, sent, server } = keysWith(() => [[1, null]]);
  const releases = async () => {
    const before = sent.length;
    await keys.renewed();
    return sent.length - before;
  };
  await keys.begin("k", "POST /a");
  await keys.end("k");
  assert.equal(await releases(), 0);
  server.failsReleases = true;
  for (const key of ["k", "other"]) {
    await keys.begin(key, "POST /a");
    await keys.end(key);
  }
  assert.equal(await releases(), 2);
  await keys.begin("other", "POST /b");
  server.failsReleases = false;
  assert.equal(await releases(), 1);
  assert.equal(await releases(), 0);
});
