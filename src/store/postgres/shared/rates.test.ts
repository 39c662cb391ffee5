/** Rate counters: which requests share a statement, and what its rows mean for each of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RateRequest, RateRule } from "../../shared.ts";
import { RatesTable } from "./rates.ts";
import type { SideConnection } from "./side-connection.ts";

const bucket: RateRule = { name: "b", kind: "bucket", unitMs: 100, room: 500 } as RateRule;
const window: RateRule = { name: "w", kind: "window", unitMs: 1000, room: 3 } as RateRule;
const request = (rule: RateRule, holder = "h", cost = 1, atMs: number | null = null): RateRequest => ({
  rule,
  holder,
  cost,
  atMs,
});

/** A table over a connection that records the values of its statements, and returns these rows. */
function tableWith(rowsOf: (values: readonly unknown[]) => readonly (readonly unknown[])[]) {
  const sent: (readonly unknown[])[] = [];
  const side = {
    execute: async (_statement: object, values: readonly unknown[]) => {
      sent.push(values);
      return { rows: rowsOf(values), changes: 0, lastRow: 0 };
    },
  };
  return { table: new RatesTable(side as unknown as SideConnection), sent };
}

type Sent = readonly { readonly key: string; readonly cost: number; readonly asked: number }[];
const batchOf = (values: readonly unknown[] | undefined) => JSON.parse(String(values?.[0])) as Sent;
/** Grants a number of requests of each key. */
const granting =
  (granted: number, at = 0, used = 0, now = 0) =>
  (values: readonly unknown[]) =>
    batchOf(values).map(({ key }) => [key, granted, at, used, now]);

test("requests of a tick for one key are granted in order up to the limit", async () => {
  const { table, sent } = tableWith(granting(2, 1000, 1, 1250));
  const answers = await Promise.all([1, 2, 3].map(() => table.take(request(window))));
  assert.deepEqual(batchOf(sent[0]), [
    { key: "w h", is_window: true, unit: 1000, room: 3, cost: 1, asked: 3 },
  ]);
  assert.deepEqual(answers, [
    { isAllowed: true, ms: 250, used: 2, since: 1000 },
    { isAllowed: true, ms: 250, used: 3, since: 1000 },
    { isAllowed: false, ms: 250, used: 3, since: 1000 },
  ]);
});

test("a bucket reports the time until it is full", async () => {
  const { table, sent } = tableWith(granting(2, 5, 100));
  const answers = await Promise.all([1, 2, 3].map(() => table.take(request(bucket, "h", 2))));
  assert.equal((batchOf(sent[0])[0] as unknown as { is_window: boolean }).is_window, false);
  assert.deepEqual(
    answers.map(({ isAllowed, ms, used, since }) => [isAllowed, ms, used, since]),
    [
      [true, 300, 0, 0],
      [true, 500, 0, 0],
      [false, 500, 0, 0],
    ],
  );
});

test("another key shares the statement; another cost or time of a key runs in the next one", async () => {
  const { table, sent } = tableWith(granting(9));
  await Promise.all([
    table.take(request(bucket, "a", 1)),
    table.take(request(bucket, "b", 1)),
    table.take(request(bucket, "a", 2)),
    table.take(request(bucket, "c", 1, 7)),
    table.take(request(bucket, "a", 1)),
  ]);
  const batches = sent.map((values) => [
    batchOf(values).map(({ key, cost, asked }) => `${key} ${cost} × ${asked}`),
    values[1],
  ]);
  assert.deepEqual(batches, [
    [["b a 1 × 2", "b b 1 × 1"], null],
    [["b a 2 × 1"], null],
    [["b c 1 × 1"], 7],
  ]);
});

test("a key of up to 200 characters is stored as it is, a longer one as its hash", async () => {
  const { table, sent } = tableWith(() => []);
  for (const length of [197, 198, 199]) await table.peek(request(bucket, "x".repeat(length)));
  assert.deepEqual(
    sent.map(([key]) => String(key).length),
    [199, 200, 44],
  );
  assert.match(String(sent[2]?.[0]), /^#[\w-]{43}$/);
});

test("the state of a holder is read without a charge, and after a refund", async () => {
  const state = async (rule: RateRule, ...row: readonly number[]) => {
    const { table, sent } = tableWith(() => (row.length === 0 ? [] : [row]));
    const { isAllowed, ms, used, since } = await table.peek(request(rule));
    assert.deepEqual(await table.refund(request(rule, "h", 4), 17), { isAllowed, ms, used, since });
    assert.deepEqual(sent[1]?.slice(1), [null, 4, 17]);
    return [isAllowed, ms, used, since];
  };
  assert.deepEqual(await state(window), [true, 0, 0, 0]);
  // at, used, now
  assert.deepEqual(await state(bucket, 1000, 300, 1100), [true, 200, 0, 0]);
  assert.deepEqual(await state(bucket, 1000, 300, 1300), [true, 0, 0, 0]);
  assert.deepEqual(await state(bucket, 1000, 300, 1400), [true, 0, 0, 0]);
  assert.deepEqual(await state(bucket, 1000, 900, 1000), [true, 500, 0, 0]);
  for (const [now, ms, used] of [
    [5000 - 1001, 0, 0],
    [5000 - 1000, 0, 2],
    [5000, 0, 2],
    [5999, 999, 2],
    [6000, 0, 0],
  ] as const)
    assert.deepEqual(await state(window, 5000, 2, now), [true, ms, used, 5000], String(now));
});
