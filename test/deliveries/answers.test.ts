/**
 * Answers that are used: an effect on the record that a delivery is about reads the status, the
 * headers and the text of the response. The call is made at least once, and the effect happens
 * exactly once, also if the process ends between the two.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Transaction } from "../../src/store/store.ts";
import { ownFolder } from "../own-folder.ts";
import { freshSchema } from "../postgres/server.ts";
import { openShop, type Play, played, type Shop } from "./serve-shop.ts";

const text = readFileSync(join(import.meta.dirname, "answers.md"), "utf8");
const folder = ownFolder("answers");

const stores: Readonly<Record<string, () => Promise<{ path: string; end: () => Promise<void> }>>> = {
  SQLite: async () => ({ path: join(folder, `answers-${crypto.randomUUID()}.db`), end: async () => {} }),
  async PostgreSQL() {
    const schema = await freshSchema();
    return { path: schema.url, end: () => schema.drop() };
  },
};

const bytes = (body: string) => new TextEncoder().encode(body);

/** Receivers that answer a challenge with it, and a job with a number and a tag. */
const honest: Play = ({ body, method, url }) => {
  const sent = JSON.parse(String(body)) as { challenge?: string };
  if (sent.challenge !== undefined) return { body: bytes(sent.challenge) };
  assert.deepEqual([method, url], ["PUT", "https://a.example/hook/jobs/j"]);
  return { headers: { etag: '"t-7"' }, body: bytes('{"number": 7}') };
};

const hook = async ({ send }: Shop) => (await send("GET", "/hooks/a")).json;
const typesOf = async ({ send }: Shop) =>
  (await send("GET", "/deliveries")).json.map(({ type }: { type: string }) => type);

async function subscribe(shop: Shop): Promise<void> {
  const made = await shop.send("POST", "/hooks", { name: "a", url: "https://a.example/hook" });
  assert.deepEqual([made.status, made.json.status], [201, "pending"]);
}

for (const [name, create] of Object.entries(stores)) {
  test(`${name}: a hook becomes active when its receiver answers the challenge, which is an event`, async () => {
    const { path, end } = await create();
    after(end);
    const shop = await openShop({ text, path, over: played(honest) });
    await subscribe(shop);
    shop.service.deliveries.start();
    await shop.pass(0);
    const { status, answered, confirmed } = await hook(shop);
    assert.deepEqual([status, answered, confirmed], ["active", "c-a", 1]);
    assert.deepEqual((await typesOf(shop)).toSorted(), ["hook.active", "hook.made"]);
    await shop.close();
  });

  test(`${name}: a wrong answer, and a failure, confirm nothing`, async () => {
    const { path, end } = await create();
    after(end);
    const answers: Partial<Awaited<ReturnType<Play>>>[] = [
      { status: 500, body: bytes("c-a") },
      { status: 200, body: bytes("c-b") },
    ];
    const over = played(() => answers.shift() ?? {});
    const shop = await openShop({ text, path, over });
    await subscribe(shop);
    shop.service.deliveries.start();
    await shop.pass(0);
    assert.deepEqual([(await hook(shop)).status, (await hook(shop)).answered], ["pending", null]);
    await shop.pass(60_000);
    assert.deepEqual([(await hook(shop)).status, (await hook(shop)).answered], ["pending", "c-b"]);
    assert.equal(over.sent.length, 2);
    await shop.close();
  });

  test(`${name}: a header and a part of the JSON answer are kept with the record`, async () => {
    const { path, end } = await create();
    after(end);
    const shop = await openShop({ text, path, over: played(honest) });
    await subscribe(shop);
    shop.service.deliveries.start();
    await shop.pass(0);
    assert.equal((await shop.send("POST", "/jobs", { name: "j", hook: "a" })).status, 201);
    await shop.pass(0);
    const { number, tag } = (await shop.send("GET", "/jobs/j")).json;
    assert.deepEqual([number, tag], [7, '"t-7"']);
    await shop.close();
  });

  test(`${name}: if the process ends after the call, the call is repeated and the effect happens once`, async () => {
    const { path, end } = await create();
    after(end);
    const over = played(honest);
    const shop = await openShop({ text, path, over });
    await subscribe(shop);
    // The outcome is not committed: as if the process had ended between its work and the commit.
    const write = shop.store.write.bind(shop.store);
    shop.store.write = async (work, options) =>
      write(async (transaction: Transaction) => {
        await work(transaction);
        throw new Error("the process ended");
      }, options);
    shop.service.deliveries.start();
    await shop.service.deliveries.idle();
    shop.store.write = write;
    assert.equal(over.sent.length, 1);
    assert.deepEqual([(await hook(shop)).status, (await hook(shop)).confirmed], ["pending", 0]);
    await shop.close();

    const next = await openShop({ text, path, over, clock: shop.clock });
    next.service.deliveries.start();
    await next.pass(60_000);
    const { status, confirmed } = await hook(next);
    assert.deepEqual([status, confirmed], ["active", 1]);
    assert.deepEqual((await typesOf(next)).toSorted(), ["hook.active", "hook.made"]);
    const challenges = over.sent.filter(({ body }) => String(body) === '{"challenge":"c-a"}');
    assert.equal(challenges.length, 2);
    assert.equal(challenges[0]?.headers?.["webhook-id"], challenges[1]?.headers?.["webhook-id"]);
    await next.close();
  });

  test(`${name}: a delivery that is sent again changes nothing a second time`, async () => {
    const { path, end } = await create();
    after(end);
    const over = played(honest);
    const shop = await openShop({ text, path, over });
    await subscribe(shop);
    shop.service.deliveries.start();
    await shop.pass(0);
    const before = await hook(shop);
    const sent = over.sent.length;
    assert.equal(await shop.service.deliveries.redeliver({}), sent);
    await shop.pass(0);
    assert.equal(over.sent.length, 2 * sent);
    assert.deepEqual(await hook(shop), before);
    await shop.close();
  });
}
