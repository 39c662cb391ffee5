/**
 * One webhook receiver over the operations API: its state before any delivery, disabled, and
 * enabled again.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md");
});
after(() => desk?.stop());

test("a receiver without deliveries is described, disabled and enabled", async () => {
  const given = [
    'Shop with name = "Try" as tried',
    'Hook with shop = tried, url = "https://example.com/h", events = ["parcel.registered"]',
  ];
  const made = await desk.operate("POST", "/api/records", { given });
  assert.equal(made.status, 200, JSON.stringify(made.json));
  const { json } = await desk.operate("GET", "/api/records/Hook");
  const key = { resource: "Hook", receiver: json.records[0].id };
  const described = async () => {
    const answer = await desk.operate("GET", `/api/deliveries/receivers/Hook/${key.receiver}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    return answer.json;
  };
  const first = await described();
  assert.equal(first.receiver.disabled, false);
  assert.ok(first.events.includes("parcel.registered"));
  assert.equal(first.signed_by, "Standard Webhooks");
  const disabled = await desk.operate("POST", "/api/deliveries/disable", key);
  assert.deepEqual(disabled.json, { disabled: key.receiver });
  assert.equal((await described()).receiver.disabled, true);
  await desk.operate("POST", "/api/deliveries/enable", key);
  assert.equal((await described()).receiver.disabled, false);
  const untested = await desk.operate("POST", "/api/deliveries/test", { ...key, type: "parcel.registered" });
  assert.equal(untested.status, 409);
  assert.match(untested.json.detail, /The log has no parcel\.registered/);
  assert.equal((await desk.operate("POST", "/api/deliveries/disable", {})).status, 400);
});

test("the list of webhooks has each record, also one that was sent nothing, in pages", async () => {
  const made = await desk.operate("POST", "/api/records", {
    given: ["a", "b", "c"].map(
      (name) => `Hook with shop = null, url = "https://example.com/${name}", events = []`,
    ),
  });
  assert.equal(made.status, 200, JSON.stringify(made.json));
  const urls: string[] = [];
  for (let after = ""; ; ) {
    const path = `/api/deliveries/receivers?channel=webhook&limit=2${after}`;
    const { status, json } = await desk.operate("GET", path);
    assert.equal(status, 200, JSON.stringify(json));
    urls.push(...json.receivers.map(({ url }: { readonly url: string }) => url));
    if (json.next === null) break;
    after = `&after=${encodeURIComponent(json.next)}`;
  }
  assert.deepEqual(
    urls,
    ["h", "a", "b", "c"].map((name) => `https://example.com/${name}`),
  );
  const wrong = await desk.operate(
    "GET",
    `/api/deliveries/receivers?channel=webhook&after=${encodeURIComponent('["Shop",null]')}`,
  );
  assert.equal(wrong.status, 400);
});
