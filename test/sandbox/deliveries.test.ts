/** Deliveries of a data space: pause, resend, retries. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { Spaces } from "../../src/engine/sandbox/spaces.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";
import { openForTest } from "../operations/start-operations.ts";
import { inSpace, parcel } from "./start-sandbox.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { adminOfSandbox } from "../../src/admin/create-context.ts";

interface Received {
  readonly id: string;
  readonly type: string;
  readonly headers: IncomingHttpHeaders;
}

/** Starts a webhook receiver whose responses the test chooses. */
async function startReceiver(t: TestContext) {
  const received: Received[] = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { headers } = request;
    received.push({ id: String(headers["webhook-id"]), type: JSON.parse(text).type, headers });
    response.writeHead(status, { Connection: "close" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer(now: number) {
      status = now;
    },
  };
}

/** Starts a sandbox of the parcel desk in this process, which may send to this machine. */
async function startSandbox(t: TestContext) {
  const file = "examples/parcel-desk.md";
  const text = readFileSync(pathOf(file), "utf8");
  const { model } = compile(text, { file });
  assert.ok(model);
  const seed = readFileSync(pathOf("examples/parcel-desk.seed.md"), "utf8");
  const spaces = await Spaces.open({
    model,
    seed: readGivenItems(model, "seed", seed).steps,
    spaceHeader: "Ninefold-Space",
    spacesMax: 10,
    storePath: () => null,
    service: { origin: () => "http://127.0.0.1", allowPrivateWebhooks: true },
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
  });
  const http = createHttpServer((request) => spaces.fetch(request), {
    refuse: (refusal) => spaces.refuse(refusal),
  });
  const { port } = await http.listen(0, "127.0.0.1");
  const door = await openForTest();
  const { origin } = spaces.options.service;
  await door.open(
    adminOfSandbox(spaces, {
      document: { file, text, diagnostics: [] },
      seed: [],
      origin,
      log: silentLog,
      ninefold: "0.0.0",
    }),
  );
  t.after(async () => {
    await Promise.all([http.close(0), door.close(0)]);
    await spaces.close();
  });
  return {
    service: `http://127.0.0.1:${port}`,
    operations: door.link,
    output: () => "",
    stop: async () => 0,
  };
}

async function start(t: TestContext, space: string) {
  const receiver = await startReceiver(t);
  const door = inSpace(await startSandbox(t), space);
  await door.operate("POST", "/api/clock", { now: "2027-01-01T00:00:00Z", stopped: true });
  const hook = await door.request("POST", "/v1/hooks", {
    url: receiver.url,
    events: ["parcel.registered", "parcel.returned"],
  });
  assert.equal(hook.status, 201, JSON.stringify(hook.json));
  const settle = () => door.operate("POST", "/api/clock", { advance: "0 seconds" });
  const list = async (query = "") => (await door.operate("GET", `/api/deliveries${query}`)).json;
  const make = async (reference: string) =>
    assert.equal((await door.request("POST", "/v1/parcels", parcel(reference))).status, 201);
  return { ...door, receiver, hook: hook.json.id as string, settle, list, make };
}

test("paused deliveries wait, and are attempted when they are resumed", async (t) => {
  const { operate, receiver, settle, list, make } = await start(t, "paused");
  assert.deepEqual((await operate("POST", "/api/deliveries/pause")).json, { paused: true });
  await make("P-1");
  await settle();
  assert.equal(receiver.received.length, 0);
  const waiting = await list();
  assert.equal(waiting.paused, true);
  assert.equal(waiting.deliveries.length, 1);
  assert.equal(waiting.deliveries[0].state, "open");
  assert.equal(waiting.deliveries[0].event.type, "parcel.registered");
  assert.deepEqual((await operate("POST", "/api/deliveries/resume")).json, { paused: false });
  assert.equal(receiver.received.length, 1);
  const [done] = (await list()).deliveries;
  assert.equal(done.state, "done");
  assert.equal(done.status, 204);
  assert.equal(done.attempts, 1);
});

test("deliveries are sent again under the same id: by event, by receiver, by time, by state", async (t) => {
  const { operate, receiver, hook, settle, list, make } = await start(t, "again");
  await make("P-1");
  await settle();
  const [delivery] = (await list(`?resource=Hook&receiver=${hook}`)).deliveries;
  assert.equal(delivery.receiver, hook);
  const again = async (body: object) =>
    (await operate("POST", "/api/deliveries/redeliver", body)).json.redelivered;
  assert.equal(await again({ event: delivery.event.id }), 1);
  assert.equal(await again({ resource: "Hook", receiver: hook }), 1);
  assert.equal(await again({ id: delivery.id }), 1);
  assert.equal(await again({ from: "2026-12-31T00:00:00Z", until: "2027-01-02T00:00:00Z" }), 1);
  assert.equal(await again({ until: "2026-12-31T00:00:00Z" }), 0);
  assert.equal(await again({ state: "dead" }), 0);
  assert.equal(receiver.received.length, 5);
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1);
  const refused = async (body: object) => (await operate("POST", "/api/deliveries/redeliver", body)).json;
  assert.match((await refused({})).detail, /Send \{"event"/);
  assert.match((await refused({ state: "lost" })).detail, /"open", "done" or "dead"/);
  assert.match((await refused({ resource: "Hook" })).detail, /its identifier as "receiver"/);
  assert.equal(await again({ receiver: hook }), 1, "webhooks go to Hook alone");
  assert.equal((await refused({ resource: "Hook", receiver: "none" })).status, 404);
});

test("retries keep the document's schedule while the clock is moved, until the delivery is given up", async (t) => {
  const { operate, receiver, list, make } = await start(t, "schedule");
  receiver.answer(500);
  await make("P-1");
  // The delays of seven attempts: 5 seconds, 5 minutes, 30 minutes, 2 hours, 8 hours, 24 hours.
  const attempts = async (advance: string) => {
    await operate("POST", "/api/clock", { advance });
    return receiver.received.length;
  };
  assert.equal(await attempts("0 seconds"), 1);
  assert.equal(await attempts("4 seconds"), 1);
  assert.equal(await attempts("1 second"), 2);
  assert.equal(await attempts("299 seconds"), 2);
  assert.equal(await attempts("1 second"), 3);
  assert.equal(await attempts("1 day"), 6);
  assert.equal(await attempts("13 hours"), 7);
  const [dead] = (await list("?state=dead")).deliveries;
  assert.equal(dead.attempts, 7);
  assert.equal(dead.status, 500);
  assert.equal(dead.ended, "2027-01-02T10:35:05.000Z");
  receiver.answer(204);
  assert.equal((await operate("POST", "/api/deliveries/redeliver", { state: "dead" })).json.redelivered, 1);
  assert.equal(receiver.received.length, 8);
});

const snapshots = sqliteAlone("PostgreSQL gives no snapshots");
test(
  "an event of a timed transition is sent at its time, and a restored snapshot sends its open deliveries",
  snapshots,
  async (t) => {
    const { operate, receiver, list, make } = await start(t, "time");
    await make("P-1");
    await operate("POST", "/api/clock", { advance: "0 seconds" });
    await operate("POST", "/api/deliveries/pause");
    await operate("POST", "/api/clock", { advance: "14 days" });
    await operate("POST", "/api/snapshots", { name: "before" });
    await operate("POST", "/api/deliveries/resume");
    assert.deepEqual(
      receiver.received.map(({ type }) => type),
      ["parcel.registered", "parcel.returned"],
    );
    await operate("POST", "/api/snapshots/before/restore");
    const restored = await list();
    assert.equal(restored.paused, true);
    assert.deepEqual(
      restored.deliveries.map(({ state, event }: { state: string; event: { time: string } }) => [
        state,
        event.time,
      ]),
      [
        ["open", "2027-01-15T00:00:00.000Z"],
        ["done", "2027-01-01T00:00:00.000Z"],
      ],
    );
    await operate("POST", "/api/deliveries/resume");
    const [, first, second] = receiver.received;
    assert.equal(receiver.received.length, 3);
    assert.equal(first?.id, second?.id);
  },
);

test("a receiver that answers 410 gets nothing more until it is enabled", async (t) => {
  const { operate, receiver, hook, settle, make } = await start(t, "gone");
  receiver.answer(410);
  await make("P-1");
  await settle();
  receiver.answer(204);
  await make("P-2");
  await settle();
  assert.equal(receiver.received.length, 1);
  const enabled = await operate("POST", "/api/deliveries/enable", { resource: "Hook", receiver: hook });
  assert.deepEqual(enabled.json, { enabled: hook });
  await make("P-3");
  await settle();
  assert.equal(receiver.received.length, 2);
});
