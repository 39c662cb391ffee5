/**
 * Reported attempts: what the document's own `### Delivery` may store of an attempt, which is its
 * response, its duration, and a record for each attempt.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OutboundFailed } from "../../src/engine/outbound/outbound.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { eventually } from "../eventually.ts";
import { openShop, played } from "./serve-shop.ts";

const text = readFileSync(join(import.meta.dirname, "reported.md"), "utf8");

/**
 * Opens a shop.
 * @param answers the receiver's response to each attempt, and its duration; without a status there
 * is no response
 */
async function openReported(
  answers: readonly { readonly status?: number; readonly body?: string; readonly ms: number }[],
) {
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  const left = [...answers];
  const over = played(() => {
    const { status, body = "", ms } = left.shift() ?? { status: 200, ms: 0 };
    clock.moveBy(ms);
    if (status === undefined) throw new OutboundFailed("no answer in time", false);
    return { status, body: Buffer.from(body) };
  });
  const shop = await openShop({ text, over, clock });
  await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  await shop.send("POST", "/things", { name: "x" });
  const list = async (path: string) => (await shop.send("GET", path)).json;
  return { ...shop, deliveries: () => list("/deliveries"), attempts: () => list("/attempts") };
}

test("a delivery shows its receiver's response and duration, and nothing before an attempt", async () => {
  const shop = await openReported([
    { status: 500, body: "no room", ms: 1500 },
    { status: 204, ms: 20 },
  ]);
  const [before] = await shop.deliveries();
  assert.deepEqual([before.thing, before.state, before.answer, before.took], ["x", "pending", null, null]);
  shop.service.deliveries.start();
  await shop.pass(0);
  const [failed] = await shop.deliveries();
  assert.deepEqual([failed.status, failed.answer, failed.took], [500, "no room", "1.5s"]);
  await shop.pass(10_000);
  const [arrived] = await shop.deliveries();
  assert.deepEqual([arrived.status, arrived.answer, arrived.took], [204, null, "20ms"]);
  const unanswered = await openReported([{ ms: 15_000 }]);
  unanswered.service.deliveries.start();
  await unanswered.pass(0);
  const [silent] = await unanswered.deliveries();
  assert.deepEqual([silent.status, silent.answer, silent.took], [null, null, "15s"]);
  await unanswered.close();
  await shop.close();
});

test("a transition that fires at each attempt creates a record each time, also for a redelivery, and they are deleted with the delivery", async () => {
  const shop = await openReported([
    { ms: 2000 },
    { status: 200, body: "ok", ms: 10 },
    { status: 200, ms: 10 },
  ]);
  shop.service.deliveries.start();
  await shop.pass(10_000);
  assert.equal(await shop.service.deliveries.redeliver({}), 1);
  await shop.pass(0);
  const all = await shop.attempts();
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: what the document shows
    all.map(({ status, answer, took }: any) => [status, answer, took]),
    [
      [null, null, "2s"],
      [200, "ok", "10ms"],
      [200, null, "10ms"],
    ],
  );
  await shop.send("DELETE", "/hooks/a");
  assert.deepEqual(await shop.attempts(), []);
  await shop.close();
});

test("a delivery that is given up with its receiver has no response", async () => {
  const shop = await openReported([
    ...Array(3).fill({ status: 500, body: "no", ms: 10 }),
    { status: 410, body: "gone", ms: 10 },
  ]);
  await shop.send("POST", "/things", { name: "y" });
  await shop.send("POST", "/things", { name: "z" });
  shop.service.deliveries.start();
  await shop.pass(60_000);
  const all = await shop.deliveries();
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: what the document shows
    all.map(({ state, answer, took }: any) => [state, answer, took]),
    [
      ["failed", "gone", "10ms"],
      ["failed", null, null],
      ["failed", null, null],
    ],
  );
  await shop.close();
});

for (const [how, deletion] of [
  ["marked", "- Deleted: marked\n"],
  ["gone", ""],
] as const)
  test(`a deleted delivery record stays deleted, whatever the delivery does, and no error is logged: ${how}`, async () => {
    const reported: unknown[] = [];
    const keep = (fields: object, words: string) => void reported.push([words, fields]);
    const document = text
      .replace("made by `delivery.id`\n", `made by \`delivery.id\`\n${deletion}`)
      .replace(
        "### GET /attempts\n",
        "### DELETE /deliveries/{id}\n\n- Does: delete Delivery\n- Returns: 204 nothing\n\n### GET /attempts\n",
      );
    const answers = [500, 500];
    const over = played(() => ({ status: answers.shift() ?? 200 }));
    const shop = await openShop({ text: document, over, log: { ...silentLog, error: keep } });
    const make = async (path: string, body: object) => {
      assert.equal((await shop.send("POST", path, body)).status, 201);
    };
    for (const name of ["a", "b"]) await make("/hooks", { name, url: `https://${name}.example/hook` });
    shop.service.deliveries.start();
    await make("/things", { name: "x" });
    await shop.pass(0);
    const [first, second] = (await shop.send("GET", "/deliveries")).json;
    assert.deepEqual([first.status, second.status], [500, 500]);
    // One record is deleted directly, the other with the receiver that it refers to.
    assert.equal((await shop.send("DELETE", `/deliveries/${first.id}`)).status, 204);
    assert.equal((await shop.send("DELETE", "/hooks/b")).status, 204);
    const changes: unknown[] = [];
    shop.store.onCommit(({ changed }) => void changes.push(...changed.keys()));
    await shop.pass(5000);
    const states = (await shop.service.deliveries.list()).map(({ state }) => state);
    assert.deepEqual(states.toSorted(), ["dead", "done"]);
    shop.clock.moveBy(3 * 86_400_000 + 1);
    await eventually(async () => assert.deepEqual(await shop.service.deliveries.list(), []));
    assert.deepEqual([changes, reported], [[], []]);
    await shop.close();
  });
