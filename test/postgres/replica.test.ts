/**
 * Replica reads over real streaming replication: list pages are at most as old as allowed, and no
 * decision uses them.
 */
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { smallDocument, standing } from "../contracts/serve-document.ts";
import { eventually } from "../eventually.ts";
import { OwnServers } from "./own-servers.ts";

let servers: OwnServers;
before(async () => {
  servers = await OwnServers.start({ isWaitedFor: false });
});
after(() => servers?.end());

interface Served {
  send(method: string, target: string, body?: unknown): ReturnType<Service["fetch"]>;
  /** The texts of a page. */
  list(): Promise<readonly string[]>;
  readonly warnings: readonly string[];
}

async function serve(t: TestContext, schema: string, behind: number): Promise<Served> {
  const { model } = compile(smallDocument(standing), { file: "small.md" });
  assert.ok(model);
  const warnings: string[] = [];
  const store = await openStore(model, meaningOf(model), {
    path: `${servers.url}?schema=${schema}&replica=${servers.standbyHost}&behind=${behind}`,
    onWarning: (message) => warnings.push(message),
  });
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
  });
  t.after(async () => {
    await service.close();
    await store.close();
  });
  const send: Served["send"] = (method, target, body) =>
    service.fetch(
      createRequest({
        method,
        target,
        headers: body === undefined ? [] : [["Content-Type", "application/json"]],
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  return {
    send,
    warnings,
    async list() {
      const answer = await send("GET", "/notes");
      assert.equal(answer.status, 200, String(answer.body));
      return [...String(answer.body).matchAll(/"text":"([^"]+)"/g)].map(([, text]) => text as string);
    },
  };
}

/** The standby receives changes without applying them. */
async function standStill(): Promise<void> {
  await servers.queryStandby("SELECT pg_wal_replay_pause()");
  await eventually(async () => {
    const [row] = await servers.queryStandby("SELECT pg_get_wal_replay_pause_state() AS state");
    assert.equal(row?.["state"], "paused");
  });
}

async function queriesStandby({ list }: Served, schema: string): Promise<void> {
  await eventually(async () => {
    await list();
    const requested =
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%\"Note\"%' AND query NOT LIKE '%pg_stat%' AND pid IN (SELECT pid FROM pg_stat_activity WHERE application_name = 'ninefold')";
    assert.notEqual((await servers.queryStandby(requested)).length, 0, schema);
  });
}

test("a page may be as old as allowed; reads and changes of single records are current", async (t) => {
  const served = await serve(t, "allowed", 3600);
  assert.equal((await served.send("POST", "/notes", { text: "first" })).status, 201);
  await queriesStandby(served, "allowed");
  await eventually(async () => assert.deepEqual(await served.list(), ["first"]));
  await standStill();
  const made = await served.send("POST", "/notes", { text: "second" });
  assert.equal(made.status, 201);
  assert.deepEqual(await served.list(), ["first"]);
  const { id } = JSON.parse(String(made.body));
  assert.equal((await served.send("GET", `/notes/${id}`)).status, 200);
  await servers.queryStandby("SELECT pg_wal_replay_resume()");
  await eventually(async () => assert.deepEqual((await served.list()).toSorted(), ["first", "second"]));
});

test("a lagging standby gets no reads until it has caught up; one that fails loses no request", async (t) => {
  const served = await serve(t, "bound", 2);
  assert.equal((await served.send("POST", "/notes", { text: "first" })).status, 201);
  await queriesStandby(served, "bound");
  await standStill();
  assert.equal((await served.send("POST", "/notes", { text: "second" })).status, 201);
  await eventually(async () => assert.deepEqual((await served.list()).toSorted(), ["first", "second"]));
  await eventually(() => assert.match(served.warnings.join(), /isn't used \(it is more than 2 s behind\)/));
  await servers.queryStandby("SELECT pg_wal_replay_resume()");
  await eventually(() => assert.match(served.warnings.join(), /is used again/));
  await servers.killStandby();
  assert.equal((await served.send("POST", "/notes", { text: "third" })).status, 201);
  await eventually(async () => assert.equal((await served.list()).length, 3));
});
