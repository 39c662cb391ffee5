/**
 * Events for records of two resources: which receivers are proposed for each event, and why an
 * event has no delivery.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { textOf } from "../repository/repository.ts";
import { type Operations, startOperations } from "./start-operations.ts";

const path = "test/operations/two-receivers.md";
const lineOf = (beginning: string) =>
  textOf(path)
    .split("\n")
    .findIndex((line) => line.startsWith(beginning)) + 1;
let desk: Operations;
before(async () => {
  desk = await startOperations(path);
});
after(() => desk?.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of all kinds are looked into
async function request(method: string, target: string, body?: unknown): Promise<any> {
  const { status, json } = await desk.operate(method, target, body);
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

/** Creates a record, and returns the description of its event. */
async function made(resource: string) {
  await request("POST", `/api/records/${resource}`, { fields: { text: "x" } });
  const { events } = await request("GET", "/api/log?limit=1");
  return request("GET", `/api/log/${events[0].id}`);
}

test("an event without a receiver names the resource of its receivers, and the line that states it", async () => {
  const why = async (resource: string) => (await made(resource)).undelivered;
  assert.deepEqual(await why("Note"), {
    why: "There is no Hook, so events have no receiver.",
    line: lineOf("- Webhooks:"),
    subscriber: "Hook",
  });
  assert.deepEqual(await why("Sign"), {
    why: "There is no Feed, so events have no receiver.",
    line: lineOf("| sign.made"),
    subscriber: "Feed",
  });
  assert.deepEqual(await why("Quiet"), {
    why: "The column `To` of quiet.made is `none`, so it has no receiver.",
    line: lineOf("| quiet.made"),
    subscriber: null,
  });
});

test("a record that is created as a receiver gets only its own events, and the other required fields are named", async () => {
  const { address } = await request("GET", "/api/receiver");
  const hook = await request("POST", "/api/receiver/subscribe", { event: (await made("Note")).id });
  assert.deepEqual([hook.resource, hook.lacks], ["Hook", []]);
  assert.deepEqual(hook.fields, { active: true, events: ["note.made", "note.changed"], url: address });
  assert.equal((await made("Note")).undelivered, null);
  const event = (await made("Sign")).id;
  const feed = await request("POST", "/api/receiver/subscribe", { event });
  assert.deepEqual([feed.resource, feed.id, feed.lacks], ["Feed", null, ["title"]]);
  assert.deepEqual(feed.fields, { kinds: ["sign.made"], url: address });
  await request("POST", "/api/records/Feed", { fields: { ...feed.fields, title: "t" } });
  assert.equal((await made("Sign")).undelivered, null);
});

test("a receiver whose condition is false is named with the part of the condition", async () => {
  const [hook] = (await request("GET", "/api/records/Hook")).records;
  await request("PATCH", `/api/records/Hook/${hook.id}`, { fields: { active: false } });
  assert.equal(
    (await made("Note")).undelivered.why,
    "The only Hook record doesn't match: `hook.active` is false.",
  );
  await request("PATCH", `/api/records/Hook/${hook.id}`, {
    fields: { active: true, events: ["note.changed"] },
  });
  assert.equal(
    (await made("Note")).undelivered.why,
    "The only Hook record doesn't match: `event.type in hook.events` is false.",
  );
});
