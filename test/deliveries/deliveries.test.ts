/**
 * Deliveries: their content, receivers, times and results. Functions play the receivers, and the
 * tests move the clock.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { senderLimits } from "../../src/engine/deliveries/limits.ts";
import { OutboundFailed } from "../../src/engine/outbound/outbound.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { eventually } from "../eventually.ts";
import { openShop, type Play, type Played, played, type Shop, shopText } from "./serve-shop.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const shops = `- Given: Shop with id = "a", name = "Ada"
- Given: Shop with id = "b", name = "Bob"
- Given: Hook with shop = "a", url = "https://one.test/in", secret = "${secret}"
- Given: Hook with shop = "a", url = "https://two.test/in", events = ["order.paid"]
- Given: Hook with shop = "a", url = null
- Given: Hook with shop = "b", url = "https://three.test/in"
`;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

interface Running {
  readonly shop: Shop;
  readonly over: Played;
  readonly hooks: readonly string[];
  /** Creates an order, sends due deliveries, and returns the order's identifier. */
  order(shop?: string): Promise<string>;
}

async function started(play: Play, { text = shopText, given = shops } = {}): Promise<Running> {
  const over = played(play);
  const shop = await openShop({ over, text });
  const hooks = (await shop.given(given)).filter((id) => id.startsWith("hk_"));
  shop.service.deliveries.start();
  return {
    shop,
    over,
    hooks,
    async order(of = "a") {
      const { status, json } = await shop.send("POST", "/v1/orders", { shop: of, amount: 5 });
      assert.equal(status, 201, JSON.stringify(json));
      await shop.pass(0);
      return json.id;
    },
  };
}

test("an event goes to the webhooks that its condition selects, after the change is committed", async () => {
  const { shop, over, order } = await started(() => ({ status: 204 }));
  const id = await order();
  assert.equal((await shop.send("POST", `/v1/orders/${id}/refund`)).status, 409);
  await shop.pass(0);
  await shop.send("POST", `/v1/orders/${id}/pay`);
  await shop.pass(0);
  await shop.send("DELETE", `/v1/orders/${id}`);
  await shop.pass(0);
  const sent = over.sent.map(({ host, body }) => {
    const { type, hooks } = JSON.parse(String(body));
    return [host, type, hooks];
  });
  // The order of the two receivers is not guaranteed.
  assert.deepEqual(
    [...sent.slice(0, 2), ...sent.slice(2).sort()],
    [
      ["one.test", "order.created", 1],
      ["one.test", "order.updated", undefined],
      ["one.test", "order.paid", 2],
      ["two.test", "order.paid", 2],
    ],
  );
  await shop.close();
});

test("an attempt lasts as long as the document's Time-out, and reads no more of a response than needed", async () => {
  for (const [said, ms] of [
    ["- Time-out: 1 second\n", 1000],
    ["- Time-out: 7 seconds\n", 7000],
    ["", 15_000],
  ] as const) {
    const text = shopText.replace("- Time-out: 1 second\n", said);
    const { shop, over, order } = await started(() => ({ status: 204 }), { text });
    await order();
    assert.equal(over.sent[0]?.timeoutMs, ms);
    assert.equal(over.sent[0].bytesMax, 65_536);
    await shop.close();
  }
});

test("headers that the document states itself match those of GitHub and Stripe", async () => {
  const { shop, over, order } = await started(() => ({ status: 200 }));
  await order();
  const { headers = {}, body } = over.sent[0] ?? {};
  const hash = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  assert.equal(headers["Content-Type"], "application/json");
  assert.equal(headers["X-Attempt"], "1");
  assert.equal(headers["X-Hub-Signature-256"], `sha256=${hash(String(body))}`);
  assert.equal(headers["X-Sent-At"], "1795176000");
  assert.equal(headers["Stripe-Signature"], `t=1795176000,v1=${hash(`1795176000.${String(body)}`)}`);
  // The operator sees the request that would be sent now.
  const [delivery = assert.fail("nothing was sent")] = await shop.service.deliveries.list();
  const made = await shop.service.deliveries.request(delivery);
  assert.ok(made?.kind === "made");
  assert.deepEqual([made.request.url, made.request.body], ["https://one.test/in", body]);
  assert.deepEqual({ ...made.request.headers }, { ...headers, "X-Attempt": "2" });
  await shop.close();
});

test("a form webhook gets the same names, and its signature covers the form", async () => {
  const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", form = true, secret = "${secret}"
`;
  const { shop, over, order } = await started(() => ({ status: 200 }), { given });
  const id = await order();
  const { headers = {}, body } = over.sent[0] ?? {};
  assert.equal(headers["Content-Type"], "application/x-www-form-urlencoded");
  const form = new URLSearchParams(String(body));
  assert.equal(form.get("type"), "order.created");
  assert.equal(form.get("data[id]"), id);
  assert.equal(form.get("data[amount]"), "5");
  assert.equal(form.has("data[note]"), false);
  const hash = createHmac("sha256", secret).update(String(body)).digest("hex");
  assert.equal(headers["X-Hub-Signature-256"], `sha256=${hash}`);
  await shop.close();
});

test("a form can have the whole payload as JSON in one field", async () => {
  const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://one.test/in", form = true, secret = "${secret}"
- Given: Hook with shop = "a", url = "https://two.test/in", form = false, secret = "${secret}"
`;
  const text = shopText.replace(
    "application/x-www-form-urlencoded when",
    "application/x-www-form-urlencoded, JSON in payload when",
  );
  const { shop, over, order } = await started(() => ({ status: 200 }), { given, text });
  await order();
  const form = over.sent.find(({ host }) => host === "one.test");
  const plain = over.sent.find(({ host }) => host === "two.test");
  assert.ok(form && plain);
  assert.equal(form.headers?.["Content-Type"], "application/x-www-form-urlencoded");
  assert.deepEqual([...new URLSearchParams(String(form.body))], [["payload", String(plain.body)]]);
  const hash = createHmac("sha256", secret).update(String(form.body)).digest("hex");
  assert.equal(form.headers?.["X-Hub-Signature-256"], `sha256=${hash}`);
  await shop.close();
});

test("each attempt has the same bytes and id, its own time and signature, and signs with all secrets during a rotation", async () => {
  const statuses = [500, 500, 200, 200];
  const { shop, over, hooks, order } = await started(() => ({ status: statuses.shift() ?? 200 }));
  await order();
  await shop.pass(5 * second);
  const next = `whsec_${Buffer.from("a secret that takes over here").toString("base64")}`;
  const changed = await shop.send("PATCH", `/v1/hooks/${hooks[0]}`, { secret: next, former_secret: secret });
  assert.equal(changed.status, 200, JSON.stringify(changed.json));
  await shop.pass(5 * minute);
  assert.equal(over.sent.length, 3);
  const [first, again, last] = over.sent.map(({ headers = {}, body }) => ({ headers, body: String(body) }));
  assert.ok(first && again && last);
  assert.deepEqual([again.body, last.body], [first.body, first.body]);
  assert.deepEqual(
    [first, again, last].map(({ headers }) => headers["webhook-id"]),
    Array(3).fill(first.headers["webhook-id"]),
  );
  assert.deepEqual(
    [first, again, last].map(({ headers }) => Number(headers["webhook-timestamp"]) - 1795176000),
    [0, 5, 305],
  );
  assert.equal(last.headers["X-Attempt"], "3");
  assert.equal(last.headers["webhook-signature"]?.split(" ").length, 2);
  // The published library reads the machine's clock, which the test clock does not follow.
  const verify = (key: string, { headers, body }: typeof last) =>
    verifyAt(headers, () => new Webhook(key).verify(body, headers));
  for (const attempt of [first, again, last]) assert.ok(verify(secret, attempt));
  assert.ok(verify(next, last));
  assert.throws(() => verify(next, first), /No matching signature/);
  await shop.close();
});

/** Runs the published library at the time that the delivery states. */
function verifyAt<T>(headers: Readonly<Record<string, string>>, run: () => T): T {
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    return run();
  } finally {
    Date.now = now;
  }
}

test("a webhook without a secret waits until it has one, because nothing is sent unsigned", async () => {
  const { shop, over, hooks, order } = await started(() => ({ status: 200 }));
  await shop.send("PATCH", `/v1/hooks/${hooks[0]}`, { secret: "" });
  await order();
  assert.equal(over.sent.length, 0);
  const [waiting] = await shop.service.deliveries.list();
  assert.deepEqual([waiting?.state, waiting?.error], ["open", "the secret to sign with is missing"]);
  await shop.send("PATCH", `/v1/hooks/${hooks[0]}`, { secret });
  await shop.pass(5 * second);
  assert.equal(over.sent.length, 1);
  await shop.close();
});

test("an event can have its own retries", async () => {
  const text = shopText
    .replace(
      "| Event | When | Payload | To |\n|---|---|---|---|",
      "| Event | When | Payload | To | Retries |\n|---|---|---|---|---|",
    )
    .replace(
      "| order.created | Order created | OrderEvent | |",
      "| order.created | Order created | OrderEvent | | none |",
    )
    .replace(
      "| order.updated | Order updated | ChangedOrder | |",
      "| order.updated | Order updated | ChangedOrder | | 7 seconds, 1 minute |",
    );
  const { shop, over, order } = await started(() => ({ status: 500 }), { text });
  const startMs = shop.clock.now();
  const id = await order();
  await shop.pass(hour);
  assert.equal(over.sent.length, 1);
  assert.equal((await shop.service.deliveries.list({ state: "dead" })).length, 1);
  await shop.send("PATCH", `/v1/orders/${id}`, { note: "soon" });
  await shop.pass(hour);
  assert.deepEqual(
    over.sent.map(({ headers = {} }) => Number(headers["webhook-timestamp"]) - startMs / 1000),
    [0, 3600, 3607, 3667],
  );
  // Other events follow the part's retries.
  await shop.send("POST", `/v1/orders/${id}/pay`);
  await shop.pass(6 * second);
  const paid = over.sent.filter(({ body }) => String(body).includes("order.paid"));
  // Two webhooks receive the event, and each was attempted twice.
  assert.equal(paid.length, 4);
  await shop.close();
});

test("a receiver that fails for three days is attempted at exactly the document's times; then the delivery is dead and can be sent again", async () => {
  const status = { of: 500 };
  const { shop, over, order } = await started(() => ({ status: status.of }));
  const startMs = shop.clock.now();
  const times: number[] = [];
  const noting = played(() => ({ status: status.of }));
  assert.ok(noting);
  await order();
  await shop.pass(96 * hour);
  for (const { headers = {} } of over.sent) times.push(Number(headers["webhook-timestamp"]) - startMs / 1000);
  const pauses = [5, 300, 3600, 12 * 3600, 24 * 3600, 36 * 3600];
  assert.deepEqual(
    times,
    [0, ...pauses].map((_, at) => pauses.slice(0, at).reduce((a, b) => a + b, 0)),
  );
  const [dead] = await shop.service.deliveries.list({ state: "dead" });
  assert.deepEqual([dead?.attempts, dead?.status, dead?.error], [7, 500, "answered 500"]);
  status.of = 200;
  assert.equal(await shop.service.deliveries.redeliver({ state: "dead" }), 1);
  await shop.pass(0);
  assert.equal(over.sent.length, 8);
  assert.equal(over.sent[7]?.headers?.["webhook-id"], over.sent[0]?.headers?.["webhook-id"]);
  assert.deepEqual(
    [...(await shop.service.deliveries.list({ state: "done" }))].map((delivery) => delivery.id),
    [dead?.id],
  );
  await shop.close();
});

test("the engine's retry schedule is that of Standard Webhooks, with up to a tenth of random delay", async () => {
  const text = shopText.replace(/^- Retries: .*\n/m, "");
  const { shop, over, order } = await started(() => ({ status: 500 }), { text });
  await order();
  await shop.pass(200 * hour);
  const times = over.sent.map(({ headers = {} }) => Number(headers["webhook-timestamp"]));
  const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const standard = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  assert.equal(pauses.length, standard.length);
  for (const [at, pause] of pauses.entries()) {
    const least = standard[at] ?? 0;
    assert.ok(pause >= least - 1 && pause <= least * 1.1 + 1, `pause ${at} is ${pause}`);
  }
  await shop.close();
});

test("the sender waits for Retry-After, and an overloaded receiver gets no delivery meanwhile", async () => {
  const answers = [{ status: 429, headers: { "retry-after": "120" } }, { status: 200 }, { status: 200 }];
  const { shop, over, order } = await started(() => answers.shift() ?? { status: 200 });
  await order();
  await order();
  assert.equal(over.sent.length, 1);
  await shop.pass(119 * second);
  assert.equal(over.sent.length, 1);
  await shop.pass(second);
  assert.equal(over.sent.length, 3);
  await shop.close();
});

test("Retry-After is bounded", async () => {
  const answers = [{ status: 503, headers: { "retry-after": "9999999" } }, { status: 200 }];
  const { shop, over, order } = await started(() => answers.shift() ?? { status: 200 });
  await order();
  await shop.pass(24 * hour);
  assert.equal(over.sent.length, 2);
  await shop.close();
});

test("a receiver that answers 410 gets nothing until its webhook is changed, also after a restart", async () => {
  const status = { of: 500 };
  const { shop, over, hooks, order } = await started(() => ({ status: status.of }));
  await order();
  status.of = 410;
  await order();
  await shop.pass(4 * 24 * hour);
  // The receiver's other deliveries are cancelled.
  assert.equal(over.sent.length, 2);
  assert.deepEqual(
    (await shop.service.deliveries.list()).map((delivery) => [delivery.state, delivery.error]),
    [
      ["dead", "answered 410"],
      ["dead", "the receiver answered 410"],
    ],
  );
  await order();
  assert.equal(over.sent.length, 2);
  assert.equal((await shop.store.session.system.deliveries.disabled()).length, 1);
  status.of = 200;
  await shop.send("PATCH", `/v1/hooks/${hooks[0]}`, { url: "https://new.test/in" });
  await order();
  assert.deepEqual(
    over.sent.slice(2).map((request) => request.host),
    ["new.test"],
  );
  await shop.close();
});

test("a running attempt is cancelled when its receiver answers 410 elsewhere, and the receiver stays disabled", async () => {
  const hanging = Promise.withResolvers<{ readonly status: number }>();
  const answers = [hanging.promise, { status: 410 }];
  const { shop, over } = await started(() => answers.shift() ?? { status: 200 });
  for (const amount of [1, 2])
    assert.equal((await shop.send("POST", "/v1/orders", { shop: "a", amount })).status, 201);
  const isGivenUp = async () => (await shop.service.deliveries.list({ state: "dead" })).length === 2;
  while (!(await isGivenUp())) await new Promise((resolve) => setImmediate(resolve));
  hanging.resolve({ status: 500 });
  await shop.pass(4 * 24 * hour);
  assert.equal(over.sent.length, 2);
  const states = (await shop.service.deliveries.list()).map((delivery) => [
    delivery.state,
    delivery.attempts,
  ]);
  assert.deepEqual(states, [
    ["dead", 1],
    ["dead", 1],
  ]);
  assert.equal((await shop.store.session.system.deliveries.disabled()).length, 1);
  await shop.close();
});

test("the next process cancels the deliveries that a killed process left after a 410", async () => {
  const { shop, over, order } = await started(() => ({ status: 500 }));
  await order();
  const [delivery] = await shop.service.deliveries.list();
  assert.ok(delivery);
  await shop.service.deliveries.stop();
  const at = shop.clock.now();
  const note = {
    number: delivery.number,
    state: "dead",
    at,
    dueAt: null,
    status: 410,
    error: "answered 410",
  } as const;
  const reported = { startedAt: at, durationMs: 1, answer: null };
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
  await shop.store.write(async ({ system }) =>
    system.deliveries.noteAttempt({ ...note, disabledRevision: 1 }, reported),
  );
  const next = await createService(shop.service.model, {
    store: shop.store,
    ports: { clock: shop.clock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    webhooksOver: over,
  });
  next.deliveries.start();
  await next.deliveries.idle();
  assert.deepEqual(
    (await next.deliveries.list()).map((delivery) => [delivery.state, delivery.error]),
    [
      ["dead", "the receiver answered 410"],
      ["dead", "answered 410"],
    ],
  );
  await next.close();
  await shop.close();
});

test("a webhook that was deleted or has no address gets nothing", async () => {
  const { shop, over, hooks, order } = await started(() => ({ status: 500 }));
  await order();
  await shop.send("PATCH", `/v1/hooks/${hooks[0]}`, { url: null });
  await shop.pass(5 * second);
  assert.equal(over.sent.length, 1);
  const [delivery] = await shop.service.deliveries.list();
  assert.deepEqual([delivery?.state, delivery?.error], ["dead", "the Hook has no address"]);
  await shop.close();
});

test("an attempt without a response is a failed attempt, and its error is described", async () => {
  const { shop, order } = await started(() => {
    throw new OutboundFailed("one.test is not a public address", true);
  });
  await order();
  const [delivery] = await shop.service.deliveries.list();
  assert.deepEqual(
    [delivery?.state, delivery?.attempts, delivery?.error],
    ["open", 1, "one.test is not a public address"],
  );
  await shop.close();
});

test("deliveries are records that endpoints list and read", async () => {
  const statuses = [500, 200];
  const { shop, hooks, order } = await started(() => ({ status: statuses.shift() ?? 200 }));
  await order();
  const [failed] = (await shop.send("GET", "/v1/deliveries")).json;
  assert.equal(failed.hook, hooks[0]);
  assert.deepEqual(
    [
      failed.type,
      failed.state,
      failed.attempts,
      failed.response_status,
      failed.error,
      failed.next_attempt_at,
    ],
    ["order.created", "pending", 1, 500, "answered 500", 1795176005],
  );
  await shop.pass(5 * second);
  const { json: done } = await shop.send("GET", `/v1/deliveries/${failed.id}`);
  assert.deepEqual(
    [done.state, done.attempts, done.response_status, done.error, done.attempted_at, done.next_attempt_at],
    ["delivered", 2, 200, null, 1795176005, null],
  );
  assert.equal((await shop.send("GET", "/v1/deliveries?state=failed")).json.length, 0);
  await shop.close();
});

test("expired data is deleted: deliveries with their records, then the events", async () => {
  const { shop, order } = await started(() => ({ status: 200 }));
  await order();
  await shop.pass(3 * 24 * hour + hour);
  await settled(shop);
  assert.equal((await shop.service.deliveries.list()).length, 0);
  assert.equal((await shop.send("GET", "/v1/deliveries")).json.length, 0);
  assert.equal((await shop.store.session.system.eventsAfter(0, 10)).length, 1);
  shop.clock.moveBy(28 * 24 * hour);
  await settled(shop);
  assert.deepEqual(await shop.store.session.system.logSpan(), { first: null, last: 1 });
  // Sequence numbers are never reused.
  await order();
  assert.equal((await shop.store.session.system.eventsAfter(0, 10))[0]?.sequence, 2);
  await shop.close();
});

/**
 * Waits for the trimmer, which works in the background. It has finished when nothing changes for
 * some ticks of the event loop.
 */
async function settled(shop: Shop): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await shop.store.write(async () => {});
  }
}

test("an event is kept as long as one of its deliveries is open", async () => {
  const text = shopText.replace("Retries: 5 seconds", "Retries: 40 days, 5 seconds");
  const { shop, order } = await started(() => ({ status: 500 }), { text });
  await order();
  shop.clock.moveBy(35 * 24 * hour);
  await settled(shop);
  assert.equal((await shop.store.session.system.eventsAfter(0, 10)).length, 1);
  await shop.close();
});

test("each event creates a notice in the same transaction, with the event's content", async () => {
  const { shop, order } = await started(() => ({ status: 200 }));
  const id = await order();
  await shop.send("POST", `/v1/orders/${id}/pay`);
  await shop.send("PATCH", `/v1/orders/${id}`, { note: "soon" });
  const { json: notices } = await shop.send("GET", "/v1/notices");
  assert.deepEqual(
    notices.map((notice: Record<string, unknown>) => [
      notice["place"],
      notice["type"],
      notice["subject"],
      notice["hooks"],
    ]),
    [
      [1, "order.created", id, 1],
      [2, "order.updated", id, 1],
      [3, "order.paid", id, 2],
      [4, "order.updated", id, 1],
    ],
  );
  assert.deepEqual(notices[1].before, { status: "open", paid_at: null });
  assert.equal(notices[1].data.place, 2);
  // The old values have the form of the document's responses.
  assert.deepEqual(notices[3].before, { note: null });
  await shop.close();
});

test("old values of changes are written as responses write them", async () => {
  const text = shopText
    .replace("`paid_at = now`", "`paid_at = now`")
    .replace(
      "| refund | paid | refunded | call | `this.amount > 0` | |",
      "| refund | paid | refunded | call | `this.amount > 0` | `paid_at = null` |",
    );
  const { shop, over, order } = await started(() => ({ status: 200 }), { text });
  const id = await order();
  await shop.send("POST", `/v1/orders/${id}/pay`);
  await shop.pass(0);
  await shop.send("POST", `/v1/orders/${id}/refund`);
  await shop.pass(0);
  const last = JSON.parse(String(over.sent.at(-1)?.body));
  assert.deepEqual(last.before, { status: "paid", paid_at: 1795176000 });
  await shop.close();
});

test("a receiver with more failing deliveries than slots is still attempted: each delivery releases its slot", async () => {
  const given = `- Given: Shop with id = "a", name = "Ada"
- Given: Hook with shop = "a", url = "https://dead.test/in"
`;
  const { shop, over } = await started(() => ({ status: 500 }), { given });
  const orders = senderLimits.failingUnderWayMax + 10;
  for (let at = 0; at < orders; at += 1) await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
  await shop.pass(0);
  const attempted = new Set(over.sent.map(({ headers = {} }) => headers["webhook-id"]));
  assert.equal(attempted.size, orders);
  await shop.close();
});

test("a delivery waits for earlier deliveries of the same record, not for those of another record", async () => {
  const text = shopText.replace("Deliveries: kept 3 days", "Deliveries: kept 3 days, in order");
  const status = { of: 500 };
  const { shop, over, order } = await started(() => ({ status: status.of }), { text });
  const id = await order();
  await shop.send("PATCH", `/v1/orders/${id}`, { amount: 6 });
  await shop.send("PATCH", `/v1/orders/${id}`, { amount: 7 });
  await shop.pass(0);
  assert.equal(over.sent.length, 1);
  status.of = 200;
  const other = await order();
  const reported = () =>
    over.sent.map(({ body }) => JSON.parse(String(body)).data).map(({ id, amount }) => [id, amount]);
  assert.deepEqual(reported(), [
    [id, 5],
    [other, 5],
  ]);
  await shop.pass(5 * second);
  assert.deepEqual(reported().slice(2), [
    [id, 5],
    [id, 6],
    [id, 7],
  ]);
  await shop.close();
});

test("paused deliveries wait, and a single receiver can be paused", async () => {
  const { shop, over, order } = await started(() => ({ status: 200 }));
  const { deliveries } = shop.service;
  await deliveries.pause();
  await order();
  assert.deepEqual([over.sent.length, deliveries.isPaused], [0, true]);
  await deliveries.resume();
  await shop.pass(0);
  assert.equal(over.sent.length, 1);
  const [{ resource, row } = { resource: "", row: 0 }] = await deliveries.list();
  await deliveries.pause({ resource, row });
  await order();
  await order("b");
  assert.deepEqual(
    over.sent.slice(1).map((request) => request.host),
    ["three.test"],
  );
  await deliveries.resume({ resource, row });
  await shop.pass(0);
  assert.equal(over.sent.length, 3);
  await shop.close();
});

test("a stopped sender sends nothing, even if deliveries are due", async () => {
  const { shop, over, order } = await started(() => ({ status: 500 }));
  await order();
  await shop.service.deliveries.stop();
  await order();
  await shop.pass(hour);
  shop.clock.moveBy(hour);
  await shop.service.deliveries.idle();
  assert.deepEqual([over.sent.length, await shop.service.deliveries.nextDue()], [1, null]);
  await shop.close();
});

test("a pause outlasts a restart, and so does its end", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-paused-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const over = played(() => ({ status: 200 }));
  const path = join(folder, "store.db");
  const during = async (work: (shop: Shop) => Promise<void>) => {
    const shop = await openShop({ over, path });
    shop.service.deliveries.start();
    await work(shop);
    await shop.pass(0);
    await shop.close();
  };
  await during(async (shop) => {
    await shop.given(shops);
    await shop.service.deliveries.pause();
    await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  });
  await during(async ({ service: { deliveries } }) => {
    assert.deepEqual([deliveries.isPaused, deliveries.nextDue()], [true, null]);
  });
  assert.equal(over.sent.length, 0);
  await during(async ({ service: { deliveries } }) => {
    await deliveries.resume();
    await deliveries.pause();
    await deliveries.resume();
  });
  assert.equal(over.sent.length, 1);
  await during(async ({ service: { deliveries } }) => assert.ok(!deliveries.isPaused));
});

test("deliveries are sent again by event, by receiver and by time", async () => {
  const { shop, over, order } = await started(() => ({ status: 200 }));
  const { deliveries } = shop.service;
  await order();
  shop.clock.moveBy(hour);
  const laterMs = shop.clock.now();
  await order();
  await order("b");
  const [last, middle, first] = await deliveries.list();
  assert.ok(last && middle && first);
  assert.equal(await deliveries.redeliver({ eventId: first.eventId }), 1);
  assert.equal(await deliveries.redeliver({ receiver: { resource: last.resource, row: last.row } }), 1);
  await shop.pass(0);
  assert.equal(await deliveries.redeliver({ from: laterMs }), 2);
  await shop.pass(0);
  assert.equal(over.sent.length, 3 + 4);
  const ids = new Set(over.sent.map(({ headers = {} }) => headers["webhook-id"]));
  assert.deepEqual(ids, new Set([first.id, middle.id, last.id]));
  await shop.close();
});

test("a dead receiver and a slow receiver delay no other", async () => {
  const given = [
    `- Given: Shop with id = "a", name = "Ada"`,
    ...Array.from(
      { length: 300 },
      (_, at) => `- Given: Hook with shop = "a", url = "https://dead${at}.test/in"`,
    ),
    `- Given: Shop with id = "b", name = "Bob"`,
    `- Given: Hook with shop = "b", url = "https://well.test/in"`,
    "",
  ].join("\n");
  const hanging: (() => void)[] = [];
  const most = { underWay: 0 };
  const { shop, over, order } = await started(
    (_request, host) =>
      host === "well.test"
        ? { status: 200 }
        : new Promise((_resolve, reject) => {
            hanging.push(() => reject(new OutboundFailed("took too long", false)));
            most.underWay = Math.max(most.underWay, hanging.length);
          }),
    { given },
  );
  let failed = 0;
  /** Fails all running and coming attempts, until `count` have failed. */
  const release = async (count: number) => {
    for (failed = 0; failed < count; await new Promise((resolve) => setImmediate(resolve)))
      for (const fail of hanging.splice(0)) {
        failed += 1;
        fail();
      }
  };
  // The first attempts to all receivers use each free slot once.
  const make = async (of: string) => {
    assert.equal((await shop.send("POST", "/v1/orders", { shop: of, amount: 1 })).status, 201);
  };
  await make("a");
  await release(300);
  await shop.service.deliveries.idle();
  // The sender has recorded their failures, so they share half of the slots.
  shop.clock.moveBy(5 * second);
  await eventually(() => assert.equal(hanging.length, 128));
  await make("b");
  const well = () => over.sent.filter((request) => request.host === "well.test").length;
  await eventually(() => assert.equal(well(), 1));
  assert.equal(hanging.length, 128);
  const ending = shop.close();
  await release(128);
  await ending;
  assert.ok(most.underWay <= 256);
  assert.ok(order);
});

test("the next process sends the deliveries that were left when the process ended", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-deliveries-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const over = played(() => ({ status: 200 }));
  const first = await openShop({ over, path });
  await first.given(shops);
  await first.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await first.close();
  assert.equal(over.sent.length, 0);
  const again = await openShop({ over, path });
  again.service.deliveries.start();
  await again.pass(0);
  assert.equal(over.sent.length, 1);
  await again.close();
});

test("ids are unpredictable and unique", async () => {
  const pool = createRandomPool();
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over, randomBytes: pool });
  await shop.given(shops);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(0);
  assert.match(String(over.sent[0]?.headers?.["webhook-id"]), /^dlv_[0-9a-f]{32}$/);
  await shop.close();
});

test("a document describes deliveries with its own names", async () => {
  const text = shopText
    .replace(
      "### Notice\n",
      `### Delivery

- Identifier: number, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| guid | string | on create \`delivery.id\` | |
| hook | Hook | on create \`hook\`, on delete cascade | |
| shop | string | on create \`hook.shop.name\` | |
| status | string | on create \`"new"\`, on update \`delivery.state == "delivered" ? "OK" : "bad"\` | |
| status_code | integer | on update \`delivery.status\` | |
| sent | json | on create \`event.payload\`, internal | |

### Notice
`,
    )
    .replace("- Order: created_at descending\n", "")
    .replace(
      "| state | query | one of pending, delivered, failed | `this.state == query.state` |",
      "| status | query | string | `this.status == query.status` |",
    );
  const { shop, over, hooks, order } = await started(() => ({ status: 500 }), { text });
  await order();
  const guid = over.sent[0]?.headers?.["webhook-id"];
  assert.deepEqual((await shop.send("GET", "/v1/deliveries")).json, [
    { number: 1, guid, hook: hooks[0], shop: "Ada", status: "bad", status_code: 500 },
  ]);
  // A webhook is deleted with the records that refer to it, and its open deliveries are cancelled.
  assert.equal((await shop.send("DELETE", `/v1/hooks/${hooks[0]}`)).status, 204);
  await shop.pass(5 * second);
  assert.deepEqual((await shop.send("GET", "/v1/deliveries")).json, []);
  assert.equal((await shop.service.deliveries.list())[0]?.error, "the Hook was deleted");
  await shop.close();
});

test("an address in the event's own record selects only that record, and so does its condition", async () => {
  const text = shopText
    .replace(
      "| note | string | nullable | |",
      "| note | string | nullable | |\n| callback | uri | nullable | |",
    )
    .replace("- Body: shop, amount, note?\n", "- Body: shop, amount, note?, callback?\n")
    .replace(/^- Webhooks: .*$/m, "- Webhooks: to Order.callback when `order.amount > 1`")
    .replace(/^- Signature: .*\n/m, "")
    .replace(/^- Header: (X-Hub|Stripe).*\n/gm, "")
    .replace(/^- Media type: application\/x-www.*\n/m, "");
  const { shop, over } = await started(() => ({ status: 200 }), { text });
  const make = (amount: number, callback?: string) =>
    shop.send("POST", "/v1/orders", { shop: "a", amount, ...(callback === undefined ? {} : { callback }) });
  for (const answer of [
    await make(1, "https://one.test/"),
    await make(2, "https://two.test/"),
    await make(3),
    await make(4, "https://four.test/"),
  ])
    assert.equal(answer.status, 201, JSON.stringify(answer.json));
  await shop.pass(0);
  assert.deepEqual(over.sent.map((request) => request.host).sort(), ["four.test", "two.test"]);
  // The document states no signature, so none is sent.
  assert.deepEqual(Object.keys(over.sent[0]?.headers ?? {}).sort(), [
    "Content-Type",
    "X-Attempt",
    "X-Sent-At",
  ]);
  await shop.close();
});

test("a condition may use the event's content, and functions that no database can evaluate", async () => {
  const text = shopText.replace(
    /^- Webhooks: .*$/m,
    '- Webhooks: to Hook.url when `hook.shop == this.shop && event.payload.data.amount > 1 && hex(hash("sha256", hook.url)) != ""`',
  );
  const { shop, over } = await started(() => ({ status: 200 }), { text });
  for (const amount of [1, 2]) await shop.send("POST", "/v1/orders", { shop: "b", amount });
  await shop.pass(0);
  assert.deepEqual(
    over.sent.map(({ host, body }) => [host, JSON.parse(String(body)).data.amount]),
    [["three.test", 2]],
  );
  await shop.close();
});

test("nothing is sent before the sender starts, and the recorded request is the one that would be sent", async () => {
  const over = played(() => ({ status: 200 }));
  const shop = await openShop({ over });
  await shop.given(shops);
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.pass(hour);
  assert.equal(over.sent.length, 0);
  assert.deepEqual(
    (await shop.send("GET", "/v1/deliveries")).json.map((delivery: { state: string }) => delivery.state),
    ["pending"],
  );
  await shop.close();
});

test("a running attempt is aborted a while after the service stops, and the next process repeats it", async () => {
  const over = played(
    () =>
      new Promise((_resolve, reject) => {
        over.sent
          .at(-1)
          ?.signal?.addEventListener("abort", () => reject(new OutboundFailed("cut off", false)));
      }),
  );
  const shop = await openShop({ over });
  await shop.given(shops);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  while (over.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await shop.service.close();
  const [waiting] = await shop.store.session.system.deliveries.list({}, 1);
  assert.deepEqual([waiting?.state, waiting?.attempts], ["open", 0]);
  await shop.store.close();
});

test("a delivery that becomes due during a lookup is sent", async () => {
  const base = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  // Calls back a millisecond early, as a clock may; that millisecond passes during the query.
  const clock: typeof base = {
    ...base,
    at: (timeMs, callback) =>
      base.at(timeMs - 1, () => {
        callback();
        base.moveBy(1);
      }),
  };
  const over = played(() => ({ status: over.sent.length === 1 ? 500 : 204 }));
  const shop = await openShop({ over, clock });
  await shop.given(shops);
  shop.service.deliveries.start();
  await shop.send("POST", "/v1/orders", { shop: "a", amount: 5 });
  await shop.service.deliveries.idle();
  assert.equal(over.sent.length, 1);
  const due = (await shop.service.deliveries.nextDue()) as number;
  base.moveBy(due - 1 - base.now());
  await shop.service.deliveries.idle();
  base.moveBy(0);
  await eventually(() => assert.equal(over.sent.length, 2));
  await shop.close();
});
