/** Delivery logs for the operator, and attempts whose result can't be stored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { senderLimits } from "../../src/engine/deliveries/limits.ts";
import { eventually } from "../eventually.ts";
import { openShop, type Play, played } from "./serve-shop.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
`;
const hour = 3_600_000;

type Report = [kind: string, words: string, fields: Record<string, unknown>];

async function started(t: { after(work: () => Promise<void>): void }, play: Play) {
  const reported: Report[] = [];
  const keep = (kind: string) => (fields: object, words: string) =>
    void reported.push([kind, words, fields as Record<string, unknown>]);
  const log = { info: keep("info"), warn: keep("warn"), error: keep("error") };
  const over = played(play);
  const shop = await openShop({ over, log });
  t.after(() => shop.close());
  await shop.given(given);
  shop.service.deliveries.start();
  const order = async () => {
    assert.equal((await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 })).status, 201);
    await shop.pass(0);
  };
  return { shop, over, reported, order };
}

test("each failed attempt is logged with the time of the next, and the last attempt as given up", async (t) => {
  const { shop, over, reported, order } = await started(t, () => ({ status: 500 }));
  await order();
  const [first] = reported;
  assert.deepEqual(first?.slice(0, 2), ["info", "a delivery will be tried again"]);
  const { event, attempt, error, again } = first?.[2] ?? {};
  const next = await shop.service.deliveries.nextDue();
  assert.deepEqual(
    { event, attempt, error, again },
    { event: "order.created", attempt: 1, error: "answered 500", again: new Date(next ?? 0).toISOString() },
  );
  await shop.pass(200 * hour);
  assert.equal(reported.length, over.sent.length);
  assert.deepEqual(
    reported.map(([kind, words]) => [kind, words]),
    [
      ...reported.slice(1).map(() => ["info", "a delivery will be tried again"]),
      ["warn", "a delivery was given up"],
    ],
  );
});

test("a successful delivery is not logged", async (t) => {
  const { reported, order } = await started(t, () => ({ status: 204 }));
  await order();
  assert.deepEqual(reported, []);
});

test("an attempt whose result can't be stored is repeated after a while, and other deliveries wait as long", async (t) => {
  let onSent = () => {};
  const { shop, over, reported, order } = await started(t, () => {
    onSent();
    return { status: 204 };
  });
  const { write } = shop.store;
  onSent = () => {
    shop.store.write = async () => {
      throw new Error("disk full");
    };
  };
  await order();
  assert.equal(over.sent.length, 1);
  assert.deepEqual(
    reported.map(([kind, words]) => [kind, words]),
    [["error", "a delivery's result could not be stored"]],
  );
  await shop.pass(senderLimits.failureMs - 1);
  assert.equal(over.sent.length, 1);
  shop.store.write = write;
  onSent = () => {};
  await shop.pass(1);
  assert.equal(over.sent.length, 2);
  assert.deepEqual(over.sent[0]?.headers?.["webhook-id"], over.sent[1]?.headers?.["webhook-id"]);
  await shop.pass(hour);
  assert.equal(over.sent.length, 2);
});

test("a failed lookup of due deliveries is repeated after a while", async (t) => {
  const { shop, over, reported } = await started(t, () => ({ status: 204 }));
  const { deliveries } = shop.store.session.system;
  const { dueReceivers } = deliveries;
  await shop.service.deliveries.idle();
  const noAnswer = () => {
    throw new Error("no answer");
  };
  deliveries.dueReceivers = noAnswer;
  // Instances of one store claim the deliveries that they send.
  const claims = shop.store.shared?.claims;
  const claim = claims?.claim;
  if (claims) claims.claim = noAnswer;
  assert.equal((await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 })).status, 201);
  await eventually(() => assert.equal(reported.length, 1));
  assert.equal(over.sent.length, 0);
  assert.deepEqual(reported[0]?.slice(0, 2), ["error", "the search for due deliveries failed"]);
  deliveries.dueReceivers = dueReceivers;
  if (claims && claim) claims.claim = claim;
  // The service retries without a request.
  shop.clock.moveBy(senderLimits.failureMs);
  await eventually(() => assert.equal(over.sent.length, 1));
});
