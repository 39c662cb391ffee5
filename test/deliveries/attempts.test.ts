/**
 * Delivery attempts: the store's records of attempts and receivers, by which an operator finds out
 * why a delivery failed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsKept } from "../../src/store/deliveries.ts";
import { openShop, played, shopText } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in"
`;

const order = { shop: "a", amount: 1 };

test("an attempt is stored with its time, the beginning of its response and its error", async () => {
  const answers = [
    { status: 500, body: Buffer.from("no\u0000pe") },
    { status: 200, body: Buffer.from("x".repeat(3)) },
  ];
  const over = played(() => answers.shift() ?? { status: 204 });
  const shop = await openShop({ over });
  await shop.given(given);
  const heard: number[] = [];
  shop.service.deliveries.onAttempt(({ delivery }) => heard.push(delivery));
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", order);
  await shop.pass(0);
  const { deliveries } = shop.service;
  const [failing] = await deliveries.list({ hasFailed: true });
  assert.ok(failing);
  assert.equal(failing.error, "answered 500");
  const hook = { channel: "webhook", resource: failing.resource, row: failing.row } as const;
  assert.partialDeepStrictEqual(await deliveries.receiver(hook), { isFailing: true, open: 1 });
  // Receivers without deliveries are removed with expired data, every ten minutes.
  await shop.pass(Number(await deliveries.nextDue()) - shop.clock.now());
  assert.deepEqual(await deliveries.list({ hasFailed: true }), []);
  assert.deepEqual(
    (await deliveries.attempts(failing.number)).map(({ number, status, error, answer }) => [
      number,
      status,
      error,
      answer,
    ]),
    [
      [2, 200, null, "xxx"],
      [1, 500, "answered 500", "no\ufffdpe"],
    ],
  );
  assert.deepEqual(heard, [failing.number, failing.number]);
  assert.partialDeepStrictEqual(await deliveries.receivers(), [{ ...hook, isFailing: false, open: 0 }]);
  assert.deepEqual(await deliveries.receivers({ isFailing: true }), []);
  await shop.close();
});

test("only the last attempts of a delivery are stored, and they are deleted with it", async () => {
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over });
  await shop.given(given);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", order);
  await shop.pass(0);
  const { deliveries } = shop.service;
  for (let more = 0; more < attemptsKept + 2; more += 1) {
    assert.equal(await deliveries.redeliver({}), 1);
    await shop.pass(0);
  }
  const [{ number } = assert.fail("nothing was sent")] = await deliveries.list();
  const kept = (await deliveries.attempts(number)).map((attempt) => attempt.number);
  assert.deepEqual([kept[0], kept.length, kept.at(-1)], [attemptsKept + 3, attemptsKept, 4]);
  await shop.store.write(async ({ system }) => system.deliveries.forget(shop.clock.now() + 1, 10));
  assert.deepEqual(await deliveries.attempts(number), []);
  await shop.close();
});

test("the count of deliveries uses the same filters as the list, up to a bound", async () => {
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over, text: shopText });
  await shop.given(given);
  shop.service.deliveries.start();
  for (let more = 0; more < 3; more += 1) await shop.send("POST", "/v1/orders", order);
  await shop.pass(0);
  const { deliveries } = shop.service;
  assert.deepEqual(
    [
      await deliveries.count({}, 10),
      await deliveries.count({}, 2),
      await deliveries.count({ state: "dead" }, 10),
    ],
    [3, 2, 0],
  );
  await shop.close();
});
