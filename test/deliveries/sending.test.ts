/**
 * Sending: when deliveries start and when the sender looks up due ones, if the store or a receiver
 * is slow.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { senderLimits } from "../../src/engine/deliveries/limits.ts";
import { DeliverySender } from "../../src/engine/deliveries/sender.ts";
import { createMovableClock, type MovableClock } from "../../src/engine/ports.ts";
import { eventually } from "../eventually.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { openShop, type Play, played } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Shop with id = "b", name = "Bob"
- Given: Hook with shop = "a", url = "https://one.test/in"
- Given: Hook with shop = "b", url = "https://two.test/in"
`;

async function started(play: Play, clock?: MovableClock) {
  const over = played(play);
  const shop = await openShop({ over, ...(clock ? { clock } : {}) });
  await shop.given(given);
  shop.service.deliveries.start();
  const order = async (of = "a") => {
    assert.equal((await shop.send("POST", "/v1/orders", { shop: of, amount: 5 })).status, 201);
  };
  return { shop, over, order };
}

const byOneAlone = sqliteAlone("instances claim what they send, which test/postgres/lease.test.ts covers");

const someTurns = async () => {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test(
  "a receiver that responded gets the next delivery before its response is on disk",
  byOneAlone,
  async () => {
    const waiting: (() => void)[] = [];
    const { shop, over, order } = await started(
      () => new Promise((resolve) => waiting.push(() => resolve({ status: 204 }))),
    );
    for (let made = 0; made < 6; made += 1) await order();
    await someTurns();
    assert.equal(waiting.length, 4);
    const write = shop.store.write.bind(shop.store);
    const disk = Promise.withResolvers<void>();
    shop.store.write = async (work, options) => {
      await disk.promise;
      return write(work, options);
    };
    for (const answer of waiting.splice(0, 2)) answer();
    await someTurns();
    assert.equal(over.sent.length, 6);
    disk.resolve();
    for (const answer of waiting.splice(0)) answer();
    await shop.pass(0);
    assert.equal(over.sent.length, 6);
    await shop.close();
  },
);

test("a delivery that is stored during a lookup is looked up too, before the sender reports that nothing is due", async () => {
  const { shop, over, order } = await started(() => ({ status: 204 }));
  await shop.service.deliveries.idle();
  const { deliveries } = shop.store.session.system;
  const { dueReceivers } = deliveries;
  deliveries.dueReceivers = async (nowMs, isFailing, limit) => {
    const found = await dueReceivers(nowMs, isFailing, limit);
    if (!isFailing) await someTurns();
    return found;
  };
  const before = shop.service.deliveries.idle();
  await order();
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 1);
  await before;
  await shop.close();
});

test("the next lookup is when a delivery is due or may be due, and not sooner", byOneAlone, async () => {
  let answer: Play;
  const { shop, order } = await started((request, host) => answer(request, host));
  /** The time until the next lookup, in milliseconds. */
  const next = () => (shop.clock.earliest() ?? 0) - shop.clock.now();
  // While an attempt hangs, other deliveries may become due, whether it is the only delivery or
  // not.
  for (const [to, status] of [
    ["a", 500],
    ["b", 204],
  ] as const) {
    const hanging = Promise.withResolvers<{ status: number }>();
    answer = () => hanging.promise;
    await order(to);
    await someTurns();
    assert.equal(next(), senderLimits.leftEveryMs);
    hanging.resolve({ status });
    await shop.pass(0);
    assert.equal(next(), 5000);
  }
  answer = () => ({ status: 204 });
  await shop.pass(5000);
  // Only the deletion of expired data is left to do.
  assert.equal(next(), senderLimits.trimEveryMs - 5000);
  // After a failed write, the sender waits a while.
  const { write } = shop.store;
  answer = () => {
    shop.store.write = async () => {
      throw new Error("disk full");
    };
    return { status: 204 };
  };
  await order();
  await shop.service.deliveries.idle();
  assert.equal(next(), senderLimits.failureMs);
  shop.store.write = write;
  answer = () => ({ status: 204 });
  await shop.pass(senderLimits.failureMs);
  assert.equal((await shop.service.deliveries.list({ state: "open" })).length, 0);
  await shop.close();
});

test("a delivery that is paused during a lookup does not start", byOneAlone, async () => {
  const { shop, over, order } = await started(() => ({ status: 204 }));
  await shop.service.deliveries.idle();
  const { deliveries } = shop.store.session.system;
  const { due } = deliveries;
  const requested = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  deliveries.due = async (...given) => {
    requested.resolve();
    await answered.promise;
    return due(...given);
  };
  await order();
  await requested.promise;
  await shop.service.deliveries.pause();
  answered.resolve();
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 0);
  await shop.service.deliveries.resume();
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 1);
  await shop.close();
});

test("`idle` attempts due deliveries even if the clock has fired no timer yet", async () => {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  const { shop, over, order } = await started(() => ({ status: 500 }), { ...clock, at: () => () => {} });
  await order();
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 1);
  clock.moveBy(5000);
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 2);
  await shop.close();
});

test("the deliveries of a disabled receiver are given up at once, even if none is due", async () => {
  const shop = await openShop();
  await shop.given(given);
  const { store, service, clock } = shop;
  const sender = new DeliverySender({
    store,
    ports: service.internals.context.ports,
    channels: {},
    writing: {},
    armed: () => {},
    noted: () => {},
    attemptMs: 1000,
  });
  sender.run();
  await sender.idle();
  for (const amount of [5, 6]) await shop.send("POST", "/v1/orders", { shop: "a", amount });
  const [{ number } = assert.fail("nothing is to be sent")] = await service.deliveries.list();
  const at = clock.now();
  const note = { number, state: "dead", at, dueAt: null, status: 410, error: "answered 410" } as const;
  await store.write(({ system }) =>
    system.deliveries.noteAttempt(
      { ...note, disabledRevision: 1 },
      { startedAt: at, durationMs: 1, answer: null },
    ),
  );
  sender.searchOfDisabled();
  await eventually(async () =>
    assert.deepEqual((await service.deliveries.list()).map(({ state, error }) => [state, error]).toSorted(), [
      ["dead", "answered 410"],
      ["dead", "the receiver answered 410"],
    ]),
  );
  await sender.stop();
  await shop.close();
});
