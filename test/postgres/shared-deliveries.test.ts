/**
 * Shared deliveries: the instances of a schema send each delivery once, and operators' commands and
 * receivers' responses at one instance apply to all.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { senderLimits } from "../../src/engine/deliveries/limits.ts";
import { OutboundFailed } from "../../src/engine/outbound/outbound.ts";
import { openShop, type Play, type Played, played, type Shop } from "../deliveries/serve-shop.ts";
import { eventually } from "../eventually.ts";
import { freshSchema, type Schema } from "./server.ts";

const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in"
`;
const hour = 3_600_000;

let schema: Schema;
let first: Shop;
let second: Shop;
let over: Played;
let play: Play;
let sentBefore: number;

before(async () => {
  schema = await freshSchema();
  over = played((request, host) => play(request, host));
  first = await openShop({ path: schema.url, over });
  second = await openShop({ path: schema.url, over });
  await first.given(given);
  for (const { service } of [first, second]) service.deliveries.start();
});

beforeEach(() => {
  play = () => ({ status: 204 });
  sentBefore = over.sent.length;
});

after(async () => {
  await first.close();
  await second.close();
  await schema.drop();
});

const order = ({ send }: Shop) => send("POST", "/v1/orders", { shop: "a", amount: 5 });
/** The identifiers of the deliveries that this test has sent. */
const ids = () => over.sent.slice(sentBefore).map(({ headers }) => headers?.["webhook-id"]);
const inState = async (state: "open" | "dead") => first.service.deliveries.list({ state });
/** The time at which the first claim expires. */
const held = () => second.store.shared?.claims.nextEnd();

/** Moves its clock ahead of the other's: what it schedules isn't due there yet. */
const runAhead = (shop: Shop) => shop.clock.moveBy(hour);
const catchUp = () => {
  const behind = first.clock.now() - second.clock.now();
  (behind > 0 ? second : first).clock.moveBy(Math.abs(behind));
};
/** Moves the clock until the condition is true. */
const reaches = ({ clock }: Shop, isSo: () => void | Promise<void>) =>
  eventually(async () => {
    clock.moveBy(1000);
    await isSo();
  });

test("every instance sends, and nothing is sent twice", async () => {
  await Promise.all(Array.from({ length: 8 }, (_, at) => order(at % 2 === 0 ? first : second)));
  await eventually(async () => assert.equal((await inState("open")).length, 0));
  assert.deepEqual([ids().length, new Set(ids()).size, await held()], [8, 8, null]);
});

test("a pause and its end are reported to one instance, and respected by the other", async () => {
  await first.service.deliveries.pause();
  await reaches(second, () => assert.equal(second.service.deliveries.isPaused, true));
  await order(second);
  for (const shop of [first, second]) await shop.pass(0);
  assert.deepEqual([ids().length, await second.service.deliveries.nextDue()], [0, null]);
  await second.service.deliveries.resume();
  await reaches(first, () => assert.equal(first.service.deliveries.isPaused, false));
  await eventually(() => assert.equal(ids().length, 1));
});

test("a delivery whose result can't be stored is released to the other instance before its claim expires", async () => {
  runAhead(first);
  const { write } = first.store;
  play = () => {
    first.store.write = async () => {
      throw new Error("no answer");
    };
    return { status: 204 };
  };
  await order(first);
  await eventually(async () => assert.deepEqual([ids().length, await held()], [1, null]));
  first.store.write = write;
  play = () => ({ status: 204 });
  catchUp();
  await eventually(async () => assert.equal((await inState("open")).length, 0));
  assert.deepEqual([ids().length, new Set(ids()).size], [2, 1]);
  first.clock.moveBy(senderLimits.failureMs);
});

test("an instance whose claim expired during its attempt doesn't start another", async (t) => {
  runAhead(first);
  const hanging = Promise.withResolvers<{ status: number }>();
  // Otherwise an instance would wait for it when this test fails.
  t.after(() => hanging.resolve({ status: 204 }));
  play = () => hanging.promise;
  await order(first);
  await eventually(() => assert.equal(ids().length, 1));
  const client = await schema.connect();
  await client.query("UPDATE ninefold_deliveries SET lease_until = 1 WHERE lease_until IS NOT NULL");
  first.clock.moveBy(senderLimits.leftEveryMs);
  // The delivery is claimed and released at each poll.
  await eventually(async () => {
    const { rows } = await client.query(
      "SELECT lease_until, fence::int > 1 AS claimed_again FROM ninefold_deliveries WHERE state = 'open'",
    );
    assert.deepEqual(rows, [{ lease_until: null, claimed_again: true }]);
  });
  assert.equal(ids().length, 1);
  // Its result is discarded, and the delivery is sent again.
  hanging.resolve({ status: 204 });
  await reaches(first, async () => assert.equal((await inState("open")).length, 0));
  assert.equal(ids().length, 2);
});

test("an unsubscribed receiver is known to both instances: pending deliveries are given up, and none are created", async () => {
  runAhead(first);
  play = () => ({ status: 500 });
  for (const shop of [first, first]) await order(shop);
  await eventually(async () => {
    assert.equal((await first.service.deliveries.list({ hasFailed: true })).length, 2);
  });
  const [{ number, resource, row } = assert.fail("nothing was sent")] = await inState("open");
  const at = first.clock.now();
  // Until now one instance was connected, which was killed.
  const note = { number, state: "dead", at, dueAt: null, status: 410, error: "answered 410" } as const;
  const reported = { startedAt: at, durationMs: 1, answer: null };
  await first.store.write(({ system }) =>
    system.deliveries.noteAttempt({ ...note, disabledRevision: 1 }, reported),
  );
  await reaches(second, async () => assert.equal((await inState("open")).length, 0));
  assert.deepEqual(
    (await inState("dead")).map(({ error }) => error),
    ["answered 410", "the receiver answered 410"],
  );
  const made = await first.service.deliveries.count({}, 100);
  await order(second);
  assert.equal(await first.service.deliveries.count({}, 100), made);
  await first.service.deliveries.enable({ resource, row });
  play = () => ({ status: 204 });
  await reaches(second, async () => {
    await order(second);
    assert.notEqual(await first.service.deliveries.count({}, 100), made);
  });
  await eventually(async () => assert.equal((await inState("open")).length, 0));
});

test("an interrupted delivery of a stopped instance is released to the other one before its claim expires", async () => {
  catchUp();
  runAhead(first);
  play = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new OutboundFailed("cut off", false)));
    });
  await order(first);
  await eventually(() => assert.equal(ids().length, 1));
  await first.service.deliveries.stop();
  assert.equal(await held(), null);
  play = () => ({ status: 204 });
  catchUp();
  await eventually(async () => assert.equal((await inState("open")).length, 0));
  assert.deepEqual([ids().length, new Set(ids()).size], [2, 1]);
});
