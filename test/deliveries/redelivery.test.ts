/**
 * Redelivery: deliveries that are sent again are found by their identifiers in a long log. If the
 * document states order, only one delivery of a record runs at a time.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent, Transaction } from "../../src/store/store.ts";
import { timedId } from "../../src/support/timed-id.ts";
import { eventually } from "../eventually.ts";
import { openShop, played, shopText } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in"
`;

const someTurns = async () => {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("in order: redeliveries of one record are sent one after another, in the order of their events", async () => {
  const text = shopText.replace("Deliveries: kept 3 days", "Deliveries: kept 3 days, in order");
  const waiting: (() => void)[] = [];
  let holds = false;
  const over = played(() =>
    holds ? new Promise((resolve) => waiting.push(() => resolve({ status: 200 }))) : { status: 200 },
  );
  const shop = await openShop({ over, text });
  await shop.given(given);
  shop.service.deliveries.start();
  const { json } = await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
  for (const amount of [2, 3]) await shop.send("PATCH", `/v1/orders/${json.id}`, { amount });
  await shop.pass(0);
  assert.equal(over.sent.length, 3);
  holds = true;
  assert.equal(await shop.service.deliveries.redeliver({}), 3);
  // A new delivery also waits for the redeliveries.
  await shop.send("PATCH", `/v1/orders/${json.id}`, { amount: 4 });
  for (let sent = 4; sent <= 7; sent += 1) {
    await eventually(() => assert.deepEqual([over.sent.length, waiting.length], [sent, 1]));
    await someTurns();
    assert.deepEqual([over.sent.length, waiting.length], [sent, 1]);
    waiting.pop()?.();
  }
  await shop.pass(0);
  assert.deepEqual(
    over.sent.slice(3).map(({ body }) => JSON.parse(String(body)).data.amount),
    [1, 2, 3, 4],
  );
  await shop.close();
});

test("a redelivery waits for a later delivery of its record that is running", async () => {
  const text = shopText.replace("Deliveries: kept 3 days", "Deliveries: kept 3 days, in order");
  const waiting: (() => void)[] = [];
  let holds = false;
  const over = played(() =>
    holds ? new Promise((resolve) => waiting.push(() => resolve({ status: 200 }))) : { status: 200 },
  );
  const shop = await openShop({ over, text });
  await shop.given(given);
  shop.service.deliveries.start();
  const { json } = await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
  await shop.pass(0);
  holds = true;
  await shop.send("PATCH", `/v1/orders/${json.id}`, { amount: 2 });
  await eventually(() => assert.equal(waiting.length, 1));
  assert.equal(await shop.service.deliveries.redeliver({ state: "done" }), 1);
  await someTurns();
  assert.equal(waiting.length, 1);
  waiting.pop()?.();
  await eventually(() => assert.equal(waiting.length, 1));
  await someTurns();
  assert.equal(waiting.length, 1);
  waiting.pop()?.();
  await shop.pass(0);
  assert.deepEqual(
    over.sent.map(({ body }) => JSON.parse(String(body)).data.amount),
    [1, 2, 1],
  );
  await shop.close();
});

test("events and deliveries are found by their identifiers, also after a clock was set back and in older stores", async () => {
  const shop = await openShop({ over: played(() => ({ status: 200 })) });
  const startMs = shop.clock.now();
  let made = 0;
  const bytes = (count: number) => {
    made += 1;
    return Buffer.from(made.toString(16).padStart(2 * count, "0"), "hex");
  };
  const times = Array.from({ length: 3000 }, (_, at) => startMs + at * 1000);
  // In the middle of the log, the clock stood a day earlier for a while.
  for (let at = 1200; at < 1300; at += 1) times[at] = startMs - 86_400_000 + at;
  const ids = times.map((ms, at) =>
    at % 500 === 7 ? `evt_${"f".repeat(28)}${1000 + at}` : timedId("evt", ms, bytes),
  );
  const event = (at: number): NewEvent => ({
    id: ids[at] as string,
    type: "order.created",
    time: new Date(times[at] as number).toISOString(),
    resource: "Order",
    row: at + 1,
    subject: String(at),
    payload: "null",
  });
  const fill = async ({ system }: Transaction) => {
    const events = ids.map((_, at) => event(at));
    const sequences = system.appendEvents(events);
    await system.deliveries.add(
      events.map((_, at) => ({
        id: String(ids[at]).replace("evt", "dlv"),
        channel: "webhook",
        event: { sequences, at },
        resource: "Hook",
        row: 1,
        content: null,
        queue: null,
        createdAt: times[at] as number,
        record: null,
      })),
    );
  };
  await shop.store.write(fill, { repeatable: true });
  const { deliveries } = shop.service;
  for (const at of [0, 1, 7, 1199, 1200, 1250, 1300, 2007, 2998, 2999]) {
    const eventId = String(ids[at]);
    assert.deepEqual(
      (await deliveries.list({ eventId })).map((delivery) => delivery.subject),
      [String(at)],
      eventId,
    );
    const id = eventId.replace("evt", "dlv");
    assert.deepEqual(
      (await deliveries.list({ id })).map((delivery) => delivery.id),
      [id],
    );
  }
  for (const id of ["evt_none", timedId("evt", startMs, bytes)]) {
    assert.deepEqual(await deliveries.list({ eventId: id }), []);
    assert.equal(await deliveries.redeliver({ eventId: id }), 0);
    assert.deepEqual(await deliveries.list({ id }), []);
  }
  await shop.close();
});

test("a redelivery waits for a later delivery of its record that is running, also if that fails", async () => {
  const text = shopText.replace("Deliveries: kept 3 days", "Deliveries: kept 3 days, in order");
  const waiting: ((status: number) => void)[] = [];
  let holds = false;
  const over = played(() =>
    holds ? new Promise((resolve) => waiting.push((status) => resolve({ status }))) : { status: 200 },
  );
  const shop = await openShop({ over, text });
  await shop.given(given);
  shop.service.deliveries.start();
  const { json } = await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
  await shop.pass(0);
  holds = true;
  await shop.send("PATCH", `/v1/orders/${json.id}`, { amount: 2 });
  await someTurns();
  assert.equal(await shop.service.deliveries.redeliver({ state: "done" }), 1);
  waiting.pop()?.(500);
  holds = false;
  await shop.pass(0);
  const reported = () => over.sent.map(({ body }) => JSON.parse(String(body)).data.amount);
  assert.deepEqual(reported(), [1, 2]);
  await shop.pass(5_000);
  assert.deepEqual(reported(), [1, 2, 2, 1]);
  await shop.close();
});
