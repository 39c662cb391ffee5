/**
 * Delivery states: `### Delivery` with its own states. The fields that an attempt writes and their
 * consequences remain, whatever else changes the record.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../../src/engine/ports.ts";
import type { Transaction } from "../../src/store/store.ts";
import { StoreUnavailable, WriteTimedOut } from "../../src/store/errors.ts";
import { eventually } from "../eventually.ts";
import { openShop, played, type Shop } from "./serve-shop.ts";

const text = readFileSync(join(import.meta.dirname, "states.md"), "utf8");

async function openThings(answers: readonly number[], document = text): Promise<Shop> {
  const left = [...answers];
  const shop = await openShop({ text: document, over: played(() => ({ status: left.shift() ?? 200 })) });
  await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  return shop;
}

const deliveries = async ({ send }: Shop) => (await send("GET", "/deliveries")).json;

test("a new delivery fires its transitions in the transaction of the change", async () => {
  const shop = await openThings([]);
  await shop.send("POST", "/things", { name: "x" });
  const [only] = await deliveries(shop);
  assert.deepEqual([only.phase, only.entered, only.attempts], ["waiting", "as it was made", 0]);
  await shop.close();
});

test("the result of an attempt fires a transition at once, whose effects are changes and events like any other", async () => {
  const shop = await openThings([200]);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(0);
  const [first, second, ...others] = await deliveries(shop);
  assert.deepEqual(
    [first.phase, first.settled, first.attempts, first.status, first.address],
    ["settled", "at once", 1, 200, "https://a.example/hook"],
  );
  // The report is an event, whose delivery is a record too.
  assert.deepEqual(
    [second.type, second.thing, second.phase, others.length],
    ["thing.reported", "x", "settled", 0],
  );
  assert.equal((await shop.send("GET", "/things")).json[0].reported, 1);
  await shop.close();
});

test("other changes of a delivery keep the fields that an attempt wrote, and set the fields that any change sets", async () => {
  const shop = await openThings([500, 500, 500]);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(0);
  const [before] = await deliveries(shop);
  assert.deepEqual([before.phase, before.attempts, before.status], ["waiting", 1, 500]);
  shop.clock.moveBy(1000);
  const noted = await shop.send("POST", `/deliveries/${before.id}/note`);
  assert.equal(noted.status, 200);
  assert.deepEqual(noted.json, { ...before, noted: true, changed: "2026-11-20T12:00:01.000Z" });
  await shop.pass(10_000);
  const [after] = await deliveries(shop);
  assert.deepEqual([after.phase, after.attempts, after.noted], ["tired", 3, true]);
  await shop.close();
});

test("an attempt whose record would violate an invariant is recorded once, not repeated, and reported once", async () => {
  const over = played(() => ({ status: 500 }));
  const reported: string[] = [];
  const log = { ...silentLog, error: (_fields: object, words: string) => void reported.push(words) };
  const shop = await openShop({ text: text.replace("attempts <= 3", "attempts <= 1"), over, log });
  // The store repeats each repeatable write.
  const write = shop.store.write.bind(shop.store);
  shop.store.write = async (work, options) => {
    const once = async (transaction: Transaction) => {
      await work(transaction);
      throw new Error("once more");
    };
    if (options?.repeatable) await write(once, options).catch(() => {});
    return write(work, options);
  };
  await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(60_000);
  const [only] = await deliveries(shop);
  assert.deepEqual([only.attempts, over.sent.length], [1, 3]);
  assert.deepEqual(reported, Array(2).fill("a delivery's record could not be changed"));
  await shop.close();
});

for (const away of [new StoreUnavailable("away", { retryable: true }), new WriteTimedOut(1000)])
  test(`an attempt whose record can't be written is repeated, and nothing of it is recorded: ${away.name}`, async () => {
    const shop = await openThings([200, 200]);
    await shop.send("POST", "/things", { name: "x" });
    const [before] = await deliveries(shop);
    const write = shop.store.write.bind(shop.store);
    shop.store.write = (work, options) =>
      write((transaction) => {
        const part = () => {
          shop.store.write = write;
          return Promise.reject(away);
        };
        return work(Object.assign(transaction, { part }));
      }, options);
    shop.service.deliveries.start();
    await shop.service.deliveries.idle();
    assert.deepEqual(await deliveries(shop), [before]);
    await shop.pass(60_000);
    const [after] = await deliveries(shop);
    assert.deepEqual([after.attempts, after.status], [1, 200]);
    await shop.close();
  });

test("timed transitions of a delivery run without a request", async () => {
  const shop = await openThings([500, 500, 500]);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(10_000);
  assert.equal((await deliveries(shop))[0].phase, "tired");
  const woken = new Promise<void>((resolve) => void shop.store.onCommit(() => resolve()));
  shop.clock.moveBy(60_000);
  await woken;
  const [old] = await deliveries(shop);
  assert.deepEqual([old.phase, old.attempts, old.status], ["old", 3, 500]);
  await shop.close();
});

/** Moves the time, and runs due work without a request. */
async function woken({ clock, store }: Shop, ms: number): Promise<void> {
  const due = () => store.session.system.dueTimers(clock.now(), 1);
  clock.moveBy(ms);
  assert.equal((await due()).length, 1);
  for (let turn = 0; turn < 100 && (await due()).length > 0; turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await due(), []);
}

test("timed transitions of a delivery run after it was given up with its receiver", async () => {
  const document = text
    .replace("| status | integer |", "| state | string | on update `delivery.state` |\n| status | integer |")
    .replace("`this.attempts >= 3`", '`this.state == "failed" && this.status == null`');
  const shop = await openThings([500, 410], document);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(0);
  await shop.send("POST", "/things", { name: "y" });
  await shop.pass(0);
  await shop.pass(5000);
  const phases = async () => (await deliveries(shop)).map(({ phase }: { readonly phase: string }) => phase);
  assert.deepEqual(await phases(), ["tired", "waiting"]);
  await woken(shop, 60_000);
  assert.deepEqual(await phases(), ["old", "waiting"]);
  await shop.close();
});

test("the deletion of expired deliveries fires transitions, whose timers run, and other timers run as well", async () => {
  const day = 86_400_000;
  const document = text
    .replace("| thing.reported | Thing updated | Thing |\n", "")
    .replace("| reported | integer |", "| mood | state | |\n| reported | integer |")
    .replace(
      "### Delivery\n\n- State field: phase",
      `### Thing

- State field: mood
- Initial state: fresh

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| calm | fresh | calm | immediately | \`this.reported > 0 && !Delivery.exists(d, d.thing == this)\` |
| rest | calm | resting | after 1 minute | |
| fade | fresh | faded | after 4 days | |

$&`,
    );
  const shop = await openThings([500, 500, 500], document);
  const moods = async () =>
    (await shop.send("GET", "/things")).json.map(({ mood }: { mood: string }) => mood);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(10_000);
  await woken(shop, 60_000);
  const isForgotten = () =>
    eventually(async () => assert.deepEqual(await shop.service.deliveries.list(), []));
  shop.clock.moveBy(3 * day);
  await isForgotten();
  await woken(shop, day);
  assert.deepEqual(await moods(), ["faded"]);
  await shop.send("POST", "/things", { name: "y" });
  await shop.pass(0);
  await woken(shop, 60_000);
  shop.clock.moveBy(3 * day);
  await isForgotten();
  await woken(shop, 60_000);
  assert.deepEqual(await moods(), ["faded", "resting"]);
  await shop.close();
});
