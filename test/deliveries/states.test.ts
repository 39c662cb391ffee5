/** `### Delivery` with states of its own: what an attempt writes stays, and what it brings about happens, whoever changes the record. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openShop, played, type Shop } from "./serve-shop.ts";

const text = readFileSync(join(import.meta.dirname, "states.md"), "utf8");

async function openThings(answers: readonly number[]): Promise<Shop> {
  const left = [...answers];
  const shop = await openShop({ text, over: played(() => ({ status: left.shift() ?? 200 })) });
  await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  return shop;
}

const deliveries = async ({ send }: Shop) => (await send("GET", "/deliveries")).json;

test("a delivery takes its transitions as it is made, in the transaction of the change", async () => {
  const shop = await openThings([]);
  await shop.send("POST", "/things", { name: "x" });
  const [only] = await deliveries(shop);
  assert.deepEqual([only.phase, only.entered, only.attempts], ["waiting", "as it was made", 0]);
  await shop.close();
});

test("what an attempt comes to lets a transition happen at once, whose effects are changes and events like any other", async () => {
  const shop = await openThings([200]);
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(0);
  const [first, second, ...others] = await deliveries(shop);
  assert.deepEqual(
    [first.phase, first.settled, first.attempts, first.status, first.address],
    ["settled", "at once", 1, 200, "https://a.example/hook"],
  );
  // That the thing was told of is an event, whose delivery is a record again.
  assert.deepEqual(
    [second.type, second.thing, second.phase, others.length],
    ["thing.told", "x", "settled", 0],
  );
  assert.equal((await shop.send("GET", "/things")).json[0].told, 1);
  await shop.close();
});

test("other changes of a delivery leave what an attempt has written, and set what any change sets", async () => {
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

test("an attempt whose record would break a law is noted all the same, and made no more often", async () => {
  const over = played(() => ({ status: 500 }));
  const shop = await openShop({ text: text.replace("attempts <= 3", "attempts <= 1"), over });
  await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  await shop.send("POST", "/things", { name: "x" });
  shop.service.deliveries.start();
  await shop.pass(60_000);
  const [only] = await deliveries(shop);
  assert.deepEqual([only.attempts, over.sent.length], [1, 3]);
  await shop.close();
});

test("timers of a delivery run out, though nobody asks", async () => {
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
