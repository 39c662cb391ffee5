/**
 * Held responses (`Waits`): the request's change is committed first, no other request waits, and
 * the response has the state at the end of the wait.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitLimits } from "../../src/engine/streams/stream-limits.ts";
import { type Courier, courierText, keys, openCourier, type Sent } from "./serve-courier.ts";

async function serve(t: { after(work: () => Promise<void>): void }, text?: string): Promise<Courier> {
  const courier = await openCourier(text === undefined ? {} : { text });
  t.after(() => courier.close());
  return courier;
}

const prefers = { Prefer: "wait=10" };

/** Requests a quote, and returns when the response is held. */
async function hold(
  courier: Courier,
  headers: Readonly<Record<string, string>> = prefers,
): Promise<Promise<Sent>[]> {
  const { waits } = courier.service.internals.shared;
  const held = new Promise<void>((resolve) => {
    const forget = waits.onHeld(() => {
      forget();
      resolve();
    });
  });
  const answer = courier.send("POST", "/quotes", { headers, body: { grams: 700 } });
  await Promise.race([held, answer]);
  return [answer];
}

test("while a response is held, its change is stored, and other requests read and write", async (t) => {
  const courier = await serve(t);
  const [answer] = await hold(courier);
  assert.equal(courier.service.internals.shared.waits.held, 1);
  const other = await courier.send("POST", "/quotes", { body: { grams: 1 } });
  assert.equal(other.status, 202);
  const log = await courier.send("GET", "/quotes/ready");
  assert.deepEqual(log.json, []);
  courier.clock.moveBy(3000);
  const { status, json } = (await answer) as Sent;
  assert.deepEqual([status, json.status, json.price], [201, "ready", 1400]);
  assert.equal(courier.service.internals.shared.waits.held, 0);
});

test("when the time has passed, the response has the state at that time", async (t) => {
  const text = courierText.replace("after 3 seconds", "after 3 days");
  const courier = await serve(t, text);
  const [answer] = await hold(courier);
  courier.clock.moveBy(9999);
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(courier.service.internals.shared.waits.held, 1);
  courier.clock.moveBy(1);
  const { status, json } = (await answer) as Sent;
  assert.deepEqual([status, json.status], [202, "working"]);
});

test("the condition is evaluated again after a change of a record that it reads, and after no other", async (t) => {
  const courier = await serve(t, courierText.replace("after 3 seconds", "after 3 days"));
  const [answer] = await hold(courier);
  const { session } = courier.store;
  const { record } = session;
  let readings = 0;
  session.record = (...given) => {
    readings += 1;
    return record.apply(session, given);
  };
  for (let at = 0; at < 5; at += 1) await courier.send("POST", "/quotes", { body: { grams: 1 } });
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(readings, 0);
  courier.clock.moveBy(10_000);
  await answer;
  assert.ok(readings > 0);
});

test("a second request with the same key waits for the response to the first", async (t) => {
  const courier = await serve(t);
  const headers = { ...prefers, "Idempotency-Key": "k1" };
  const [first] = await hold(courier, headers);
  const second = courier.send("POST", "/quotes", { headers, body: { grams: 700 } });
  const conflict = await courier.send("POST", "/quotes", { headers, body: { grams: 800 } });
  assert.equal(conflict.status, 422);
  courier.clock.moveBy(3000);
  const [firstAnswer, secondAnswer] = await Promise.all([first, second]);
  assert.deepEqual(
    [firstAnswer?.status, secondAnswer?.status, secondAnswer?.json],
    [201, 201, firstAnswer?.json],
  );
  assert.equal(secondAnswer?.headers["idempotent-replayed"], "true");
});

test("a later request with the same key receives the state of a response that was never sent", async (t) => {
  const courier = await serve(t, courierText.replace("after 3 seconds", "after 3 days"));
  const headers = { ...prefers, "Idempotency-Key": "k1" };
  const leaving = new AbortController();
  const { waits } = courier.service.internals.shared;
  const held = new Promise<void>((resolve) => void waits.onHeld(resolve));
  const gone = courier.send("POST", "/quotes", { headers, body: { grams: 700 }, signal: leaving.signal });
  await held;
  // The state that a service keeps if it ends now.
  const kept = await courier.store.write(async ({ system }) =>
    system.idempotent("address 127.0.0.1", "k1", courier.clock.now()),
  );
  assert.deepEqual([kept?.status, JSON.parse(kept?.body ?? "null")?.status], [202, "working"]);
  leaving.abort();
  await gone;
});

test("no response is held if its client has disconnected or its service stops", async (t) => {
  const courier = await serve(t);
  const leaving = new AbortController();
  const { waits } = courier.service.internals.shared;
  const held = new Promise<void>((resolve) => void waits.onHeld(resolve));
  const gone = courier.send("POST", "/quotes", {
    headers: prefers,
    body: { grams: 700 },
    signal: leaving.signal,
  });
  await held;
  leaving.abort();
  assert.equal((await gone).status, 202);
  const [answer] = await hold(courier);
  courier.service.drain();
  assert.equal(((await answer) as Sent).status, 202);
  assert.equal(waits.held, 0);
  // From now on, no response is held.
  assert.equal((await courier.send("POST", "/quotes", { headers: prefers, body: { grams: 1 } })).status, 202);
});

test("a record that is deleted while a read waits for it is not found", async (t) => {
  const text = courierText.replace(
    "### GET /quotes/ready",
    "### DELETE /quotes/{id}\n\n- Does: delete Quote\n- Allowed: anyone\n- Returns: 204 nothing\n\n### GET /quotes/ready",
  );
  const courier = await serve(t, text);
  const made = await courier.send("POST", "/quotes", { body: { grams: 1 } });
  const { waits } = courier.service.internals.shared;
  const held = new Promise<void>((resolve) => void waits.onHeld(resolve));
  const answer = courier.send("GET", `/quotes/${made.json.id}`, { headers: prefers });
  await held;
  assert.equal((await courier.send("DELETE", `/quotes/${made.json.id}`)).status, 204);
  assert.equal((await answer).status, 404);
});

test("a limited number of responses is held, and one more is sent in its present state", async (t) => {
  const courier = await serve(t);
  const { waits } = courier.service.internals.shared;
  const answers = Array.from({ length: waitLimits.heldMax + 1 }, () =>
    courier.send("POST", "/quotes", { headers: prefers, body: { grams: 1 } }),
  );
  assert.equal((await Promise.race(answers)).status, 202);
  while (waits.held < waitLimits.heldMax) await new Promise<void>((resolve) => setImmediate(resolve));
  courier.clock.moveBy(10_000);
  const statuses = (await Promise.all(answers)).map((answer) => answer.status);
  assert.equal(statuses.filter((status) => status === 201).length, waitLimits.heldMax);
});

test("the time-out of a request excludes the time for which it is held, and the time of a stream", async (t) => {
  const text = courierText.replace(
    "Rate limits, size limits, time-outs and pagination bounds: none.",
    "| Limit | Bound | Applies to |\n|---|---|---|\n| time-out | 2 seconds | every request |\n\n- Rate limits: none\n- Size limits: none\n- Pagination bounds: none",
  );
  const courier = await serve(t, text);
  const stream = await courier.open("/events", { key: keys.ada });
  await stream.piece();
  const headers = { ...prefers, "Idempotency-Key": "k1" };
  const [first] = await hold(courier, headers);
  const second = courier.send("POST", "/quotes", { headers, body: { grams: 700 } });
  // If the next request is rejected, this request is held.
  assert.equal((await courier.send("POST", "/quotes", { headers, body: { grams: 800 } })).status, 422);
  courier.clock.moveBy(3000);
  assert.deepEqual(
    (await Promise.all([first, second])).map((answer) => answer?.status),
    [201, 201],
  );
  await courier.send("POST", "/parcels", { key: keys.ada, body: { to: "Grace" } });
  assert.equal((await stream.events(1)).length, 1);
  stream.close();
});
