/** Erasure of traces: events and deliveries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore } from "../test-files.ts";
import { field, model, resource } from "../test-model.ts";

const shops = model([resource("Shop", [field("name", "string")])]);

test("erasure keeps the rows of past events and deliveries without content, and deletes open deliveries", async (t) => {
  const store = await openTestStore(t, shops, ":memory:");
  const event = (id: string, row: number, payload: string) => ({
    id,
    type: "shop.made",
    time: "2026-11-23T00:00:00.000Z",
    resource: "Shop",
    row,
    subject: id,
    payload,
    record: payload,
  });
  const delivery = (id: string, sequence: number) => ({
    id,
    channel: "webhook" as const,
    resource: "Hook",
    row: 1,
    event: sequence,
    content: '"Ada"',
    queue: null,
    createdAt: 0,
    record: null,
  });
  const blanked = await store.write(async ({ system }) => {
    const sequences = await system.appendEvents([
      event("own", 1, '{"name":"Ada"}'),
      event("names it", 2, '{"by":"Ada"}'),
      event("another", 3, '{"name":"Adam"}'),
    ]);
    await system.deliveries.add(sequences.map((sequence) => delivery(`d${sequence}`, sequence)));
    return system.blank({
      deleted: [{ resource: "Shop", row: 1 }],
      cleared: [],
      identifying: ['"Ada"'],
      texts: ['"Ada"'],
    });
  });
  assert.deepEqual(blanked, { events: 2, deliveries: 2, answers: 0 });
  const log = await store.session.system.log({}, 10);
  assert.deepEqual(
    log.map(({ id, subject }) => [id, subject]),
    [
      ["another", "another"],
      ["names it", ""],
      ["own", ""],
    ],
  );
  const own = await store.session.system.eventOf("own");
  assert.deepEqual([own?.payload, own?.record], ['{"erased":true}', '{"erased":true}']);
  const open = await store.session.system.deliveries.list({}, 10);
  assert.deepEqual(
    open.map(({ id }) => id),
    ["d3"],
  );
});
