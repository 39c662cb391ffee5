/**
 * Undelivered events: the reason with the line that decides it, and the record that one click
 * creates as a receiver.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md", "examples/parcel-desk.seed.md");
});
after(() => desk?.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of all kinds are looked into
async function request(method: string, path: string, body?: unknown): Promise<any> {
  const { status, json } = await desk.operate(method, path, body);
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

/** Registers a parcel, and returns what the console shows of its event. */
async function registered(shop: string) {
  await request("POST", "/api/records/Parcel", {
    fields: {
      shop,
      recipient: "Grace",
      address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
      weight_grams: 400,
    },
  });
  const { events } = await request("GET", "/api/log?limit=1");
  return request("GET", `/api/log/${events[0].id}`);
}

const shops = async () => (await request("GET", "/api/records/Shop")).records;

test("an event has no delivery because no record subscribes to it, and one click creates that record", async () => {
  const { undelivered } = await request("GET", "/api/deliveries");
  assert.deepEqual(undelivered, {
    why: "There is no Hook, so events have no receiver.",
    line: 315,
    subscriber: "Hook",
  });
  assert.equal(
    (await request("GET", "/api/deliveries?state=done")).undelivered,
    null,
    "a filter is no reason",
  );
  const [ada] = await shops();
  const event = await registered(ada.id);
  assert.match(event.undelivered.why, /^There is no Hook/);
  const made = await request("POST", "/api/receiver/subscribe", {});
  assert.deepEqual(made.lacks, []);
  const { record } = await request("GET", `/api/records/Hook/${made.id}`);
  assert.equal(record.fields.shop, ada.id, "there is but one shop");
  assert.equal(record.fields.url, (await request("GET", "/api/receiver")).address);
  assert.deepEqual(record.fields.events, [
    "parcel.registered",
    "parcel.collected",
    "parcel.delivered",
    "parcel.returned",
  ]);
  const reported = await registered(ada.id);
  assert.deepEqual([reported.undelivered, reported.deliveries.length], [null, 1]);
  assert.match((await request("GET", `/api/log/${event.id}`)).undelivered.why, /would receive it now/);
});

test("the false part of the condition is named", async () => {
  const { record: grace } = await request("POST", "/api/records/Shop", { fields: { name: "Grace Ltd" } });
  const event = await registered(grace.id);
  assert.deepEqual(event.undelivered, {
    why: "The only Hook record doesn't match: `hook.shop == this.shop` is false.",
    line: 315,
    subscriber: "Hook",
  });
  const requested = await request("POST", "/api/receiver/subscribe", {});
  assert.deepEqual(
    [requested.id, requested.lacks],
    [null, ["shop"]],
    "which shop isn't known, and none is guessed",
  );
  await request("POST", "/api/records/Hook", {
    fields: { shop: grace.id, url: requested.fields.url, events: ["parcel.returned"] },
  });
  assert.equal(
    (await request("GET", `/api/log/${event.id}`)).undelivered.why,
    "None of 2 Hook records matches: `event.type in hook.events` is false (1), `hook.shop == this.shop` is false (1).",
  );
  const made = await request("POST", "/api/receiver/subscribe", { event: event.id });
  assert.equal((await request("GET", `/api/records/Hook/${made.id}`)).record.fields.shop, grace.id);
  assert.equal((await registered(grace.id)).undelivered, null);
});

test("a form lists the accepted event names, and the fields that only a request sets", async () => {
  const { resource } = await request("GET", "/api/records/Hook");
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const field = (name: string) => resource.fields.find((field: any) => field.name === name);
  assert.deepEqual(field("events").type.choices.slice(0, 2), ["parcel.registered", "parcel.collected"]);
  assert.deepEqual(
    ["shop", "secret", "url", "events"].map((name) => field(name).filled),
    ["by request", "always", null, "always"],
  );
});
