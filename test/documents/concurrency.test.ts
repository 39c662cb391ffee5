/** Serializability: concurrent requests behave as if they ran one after another. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { strictTerminal as terminal } from "../terminal.ts";

const atOnce = 50;
interface Running {
  readonly service: Service;
  post(target: string, form: string, headers?: Record<string, string>): Promise<Report>;
  json(method: string, target: string, body?: unknown): Promise<Report>;
  events(type: string): Promise<number>;
  wait(milliseconds: number): void;
}

interface Report {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document answers
  readonly body: any;
}

async function serve(t: TestContext, name: string, given = ""): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-concurrency-"));
  const { model } = compile(await readFile(new URL(`${name}.md`, import.meta.url), "utf8"), { file: name });
  assert.ok(model);
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const store = await openModelStore(model, join(folder, "store.db"), terminal);
  const service = await openService(
    model,
    store,
    { clock, log: silentLog },
    { origin: () => "http://localhost" },
  );
  t.after(async () => {
    await service.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  await createGivenRecords(service, readGivenItems(model, "given.md", given).steps);
  const send = async (
    method: string,
    target: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Report> => {
    const request = createRequest({
      method,
      target,
      headers: Object.entries(headers),
      ...(body === undefined ? {} : { body }),
    });
    const answer = await service.fetch(request);
    const text = typeof answer.body === "string" ? answer.body : "";
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  };
  return {
    service,
    post: (target, form, headers = {}) =>
      send("POST", target, form, {
        Authorization: "Bearer sk_1",
        "Content-Type": "application/x-www-form-urlencoded",
        ...headers,
      }),
    json: (method, target, body) =>
      send(method, target, body === undefined ? undefined : JSON.stringify(body), {
        Authorization: "Bearer sk_1",
        "Content-Type": "application/json",
      }),
    events: async (type) =>
      (await store.session.system.events()).filter((event) => event.type === type).length,
    wait: (milliseconds) => clock.moveBy(milliseconds),
  };
}

const shop = '- Given: Account with name = "Shop", key = "sk_1"\n';
const all = <T>(work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: atOnce }, (_, at) => work(at)));
const counted = (answers: readonly Report[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test("one of many concurrent requests fires a transition", async (t) => {
  const { post, events } = await serve(t, "payments", shop);
  const made = await post("/v1/payment_intents", "amount=1000&currency=eur&payment_method=pm_card_visa");
  const answers = await all(() => post(`/v1/payment_intents/${made.body.id}/confirm`, ""));
  assert.equal(counted(answers, 200), 1);
  assert.equal(counted(answers, 400), atOnce - 1);
  assert.equal(await events("payment_intent.succeeded"), 1);
});

test("one of many concurrent requests gets a unique value, regardless of case", async (t) => {
  const { post } = await serve(t, "payments", shop);
  const answers = await all((at) =>
    post("/v1/customers", `email=${at % 2 ? "ada@example.com" : "ADA@example.com"}`),
  );
  assert.equal(counted(answers, 200), 1);
});

test("concurrent requests with one idempotency key are executed once", async (t) => {
  const { post, json } = await serve(t, "payments", shop);
  const answers = await all(() =>
    post("/v1/payment_intents", "amount=5&currency=eur", { "Idempotency-Key": "one" }),
  );
  assert.equal(counted(answers, 200), atOnce);
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  assert.equal((await json("GET", "/v1/payment_intents")).body.data.length, 1);
});

test("concurrent refunds never exceed the payment", async (t) => {
  const { post, json } = await serve(t, "payments", shop);
  const made = await post(
    "/v1/payment_intents",
    "amount=1000&currency=eur&payment_method=pm_card_visa&confirm=true",
  );
  const charge = made.body.latest_charge;
  const answers = await all(() => post("/v1/refunds", `charge=${charge}&amount=30`));
  assert.equal(counted(answers, 200), 33);
  assert.equal((await json("GET", `/v1/charges/${charge}`)).body.amount_refunded, 990);
});

test("numbers have no gaps, although some requests were rejected", async (t) => {
  const { json } = await serve(t, "warehouse", '- Given: Item with sku = "bolt", count = 10, bin = "A"\n');
  const answers = await all((at) =>
    json("POST", "/orders", { customer: "ada", lines: at % 3 ? [] : [{ sku: "bolt", count: 4 }] }),
  );
  const numbers = answers
    .filter((answer) => answer.status === 201)
    .map((answer) => answer.body.number)
    .toSorted((a, b) => a - b);
  assert.equal(counted(answers, 409), Math.ceil(atOnce / 3) - 2);
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + 1),
  );
});

test("due work runs once, regardless of the order of requests", async (t) => {
  const { json, events, wait } = await serve(t, "subscriptions", '- Given: Plan with name = "p", days = 1\n');
  const [plan] = (await json("GET", "/plans")).body;
  const subscriptions = await all(() =>
    json("POST", "/subscriptions", { plan, trial_ends_at: "2026-11-21T12:00:00Z" }),
  );
  wait(86_400_000 * 2);
  const seen = await all((at) => json("GET", `/subscriptions/${subscriptions[at]?.body.id}`));
  assert.deepEqual(
    new Set(seen.map((report) => `${report.body.status} ${report.body.renewals}`)),
    new Set(["active 1"]),
  );
  assert.equal(await events("subscription.renewed"), atOnce);
});
