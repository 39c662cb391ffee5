/**
 * States, the event log, deliveries and the built-in receiver of a running service: a parcel up to
 * its webhook.
 */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { type Operations, startOperations } from "./start-operations.ts";

const document = "examples/parcel-desk.md";
const seed = "examples/parcel-desk.seed.md";

/** Repeats a request until a condition holds, because deliveries and metrics arrive later. */
async function until<T>(sendRequest: () => Promise<T>, is: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await sendRequest();
    if (is(answer)) return answer;
    await pause(20);
  }
}

interface Desk extends Operations {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  request(method: string, path: string, body?: unknown): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  send(method: string, path: string, key: string, body?: unknown): Promise<any>;
}

async function openDesk(): Promise<Desk> {
  const operations = await startOperations(document, seed);
  operations.service.deliveries.start();
  return {
    ...operations,
    async request(method, path, body) {
      const { status, json } = await operations.operate(method, path, body);
      assert.equal(status, 200, JSON.stringify(json));
      return json;
    },
    async send(method, path, key, body) {
      const { body: text } = await operations.service.fetch(
        createRequest({
          method,
          target: path,
          headers: [
            ["Authorization", `Bearer ${key}`],
            ["Parcel-Version", "2026-11-01"],
            ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
          ],
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      return JSON.parse(String(text));
    },
  };
}

const parcel = {
  recipient: "Grace",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 1200,
};

async function keysOf(desk: Desk): Promise<{ readonly shop: string; readonly courier: string }> {
  await desk.request("POST", "/api/records", {
    given: [
      'Shop with name = "Try" as tried',
      'ApiKey with shop = tried, key = "sk_try", scopes = ["read", "write"]',
      'ApiKey with key = "sk_move", scopes = ["courier"]',
    ],
  });
  return { shop: "sk_try", courier: "sk_move" };
}

test("a parcel is followed from its creation to its webhook, and a failed delivery is sent again", async () => {
  const desk = await openDesk();
  try {
    const { shop, courier } = await keysOf(desk);
    const receiver = await desk.request("GET", "/api/receiver");
    assert.match(receiver.address, /^http:\/\/127\.0\.0\.1:\d+\/receiver\/default\/webhooks\/[\w-]{32}$/);
    await desk.send("POST", "/v1/hooks", shop, {
      url: receiver.address,
      events: ["parcel.registered", "parcel.collected"],
    });
    const { id } = await desk.send("POST", "/v1/parcels", shop, parcel);
    const arrived = await until(
      () => desk.request("GET", "/api/receiver"),
      ({ received }) => received.length > 0,
    );
    const [first] = arrived.received;
    assert.deepEqual(
      [first.signature, first.scheme, first.event.type, first.status],
      ["fits", "Standard Webhooks", "parcel.registered", 200],
    );
    assert.equal(JSON.parse(first.body).data.id, id);

    const { events } = await desk.request("GET", `/api/log?resource=Parcel&subject=${id}`);
    assert.equal(events.length, 1);
    const event = await desk.request("GET", `/api/log/${events[0].id}`);
    assert.partialDeepStrictEqual(event, {
      is_there: true,
      request: { method: "POST", path: "/v1/parcels", status: 201 },
      deliveries: [{ id: first.delivery, resource: "Hook" }],
    });

    await desk.request("POST", "/api/receiver", { answers: "fails" });
    await desk.send("POST", `/v1/parcels/${id}/collect`, courier);
    const failed = await until(
      () => desk.request("GET", "/api/deliveries?failed=true"),
      ({ deliveries }) => deliveries.length > 0,
    );
    const [{ id: delivery, error }] = failed.deliveries;
    assert.equal(error, "answered 500");
    assert.partialDeepStrictEqual(await desk.request("GET", `/api/deliveries/${delivery}`), {
      attempts: [{ number: 1, status: 500, answer: "configured to fail\n" }],
      delivery: { url: receiver.address },
      request: {
        url: receiver.address,
        headers: [
          { name: "Content-Type", value: "application/json" },
          { name: "webhook-id", value: delivery },
          { name: "webhook-timestamp" },
          { name: "webhook-signature", value: null },
        ],
      },
      signed_by: "Standard Webhooks",
      receiver: { failing: true, open: 1 },
    });
    const health = await desk.request("GET", "/api/deliveries/receivers?trouble=true");
    assert.equal(health.receivers.length, 1);

    await desk.request("POST", "/api/receiver", { answers: "ok" });
    const refused = await desk.operate("POST", "/api/deliveries/redeliver", { failed: true, count: 7 });
    assert.deepEqual([refused.status, refused.json.count], [409, 1]);
    assert.deepEqual(await desk.request("POST", "/api/deliveries/redeliver", { failed: true, count: 1 }), {
      redelivered: 1,
    });
    const over = await until(
      () => desk.request("GET", `/api/deliveries/${delivery}`),
      ({ delivery }) => delivery.state === "done",
    );
    assert.deepEqual(
      over.attempts.map((attempt: { status: number }) => attempt.status),
      [200, 500],
    );
  } finally {
    await desk.stop();
  }
});

test("states have counts that follow requests and time, and rejected transitions", async () => {
  const desk = await openDesk();
  try {
    const { shop, courier } = await keysOf(desk);
    const { id } = await desk.send("POST", "/v1/parcels", shop, parcel);
    const before = await until(
      () => desk.request("GET", "/api/states?resource=Parcel"),
      ({ shown }) => shown.counts !== null,
    );
    const stored = (states: Readonly<Record<string, number>>, name: string) => states[name] ?? 0;
    await desk.send("POST", `/v1/parcels/${id}/collect`, courier);
    await desk.send("POST", `/v1/parcels/${id}/collect`, courier);
    const { shown } = await desk.request("GET", "/api/states?resource=Parcel");
    const moved = ["registered", "in_transit"].map(
      (name) => stored(shown.counts.states, name) - stored(before.shown.counts.states, name),
    );
    assert.deepEqual(moved, [-1, 1]);
    assert.partialDeepStrictEqual(shown.flow, [
      { transition: "collect", from: "registered", to: "in_transit", minute: 1, hour: 1 },
    ]);
    const { requests } = await desk.request("GET", "/api/states/refusals?resource=Parcel&transition=collect");
    assert.deepEqual(
      requests.map((request: { status: number; path: string }) => [request.status, request.path]),
      [[409, `/v1/parcels/${id}/collect`]],
    );
    assert.equal((await desk.operate("GET", "/api/states?resource=Shop")).status, 404);
  } finally {
    await desk.stop();
  }
});

test("a receiver is identified by its address alone, and other addresses have no receiver", async () => {
  const desk = await openDesk();
  try {
    const { address } = await desk.request("GET", "/api/receiver?name=orders");
    const post = (url: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(url, { method: "POST", body: "{}", headers });
    assert.equal((await post(address)).status, 200);
    const { received } = await desk.request("GET", "/api/receiver?name=orders");
    assert.deepEqual([received[0].signature, received[0].body], ["not ours", "{}"]);
    const other = address.replace(/.$/, (last: string) => (last === "x" ? "y" : "x"));
    const foreign = { Origin: "https://elsewhere.test" };
    const statuses = await Promise.all([
      post(other),
      post(address.replace("/orders/", "/others/")),
      post(address.replace("/default/", "/another/")),
      post(address, foreign),
      fetch(address),
    ]);
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [403, 403, 403, 403, 403],
    );
    const refused = await desk.operate("GET", "/api/receiver?name=a%20b");
    assert.deepEqual([refused.status, refused.json.errors[0].field], [400, "name"]);
  } finally {
    await desk.stop();
  }
});
