/**
 * The outage matrix: a serving process whose document has timed transitions, webhooks, a stream, held answers and rates, under reads and
 * writes, while its database can't be used. Each request is answered 503 with `Retry-After`, the process goes on, and all is well again when
 * the database is, without a restart.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { served } from "../../src/cli/testing/served.ts";
import { eventually } from "../eventually.ts";
import { ownRole } from "./own-role.ts";
import { PostgresProxy } from "./proxy.ts";

const document = join(import.meta.dirname, "outages.md");

interface Database {
  readonly proxy: PostgresProxy;
  readonly role: string;
  /** Runs a statement as the server's owner, in the service's schema. */
  query(sql: string): Promise<unknown>;
}

interface Outage {
  begin(database: Database): unknown;
  end(database: Database): unknown;
}

const disconnect = ({ role, query }: Database) =>
  query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);

const outages: Readonly<Record<string, Outage>> = {
  "the server has gone": { begin: ({ proxy }) => proxy.leave(), end: ({ proxy }) => proxy.comeBack() },
  "nothing gets through": { begin: ({ proxy }) => proxy.silence(), end: ({ proxy }) => proxy.speak() },
  "the role has no connection left": {
    async begin(database) {
      await database.query(`ALTER ROLE ${database.role} CONNECTION LIMIT 0`);
      await disconnect(database);
    },
    end: ({ query, role }) => query(`ALTER ROLE ${role} CONNECTION LIMIT -1`),
  },
  "a right was taken away": {
    begin: ({ query, role }) => query(`REVOKE ALL ON ALL TABLES IN SCHEMA CURRENT_SCHEMA FROM ${role}`),
    end: ({ query, role }) => query(`GRANT ALL ON ALL TABLES IN SCHEMA CURRENT_SCHEMA TO ${role}`),
  },
  "a table was renamed": {
    begin: ({ query }) => query(`ALTER TABLE "Job" RENAME TO "Task"`),
    end: ({ query }) => query(`ALTER TABLE "Task" RENAME TO "Job"`),
  },
  "the engine's own table was renamed": {
    begin: ({ query }) => query("ALTER TABLE ninefold_timers RENAME TO other_timers"),
    end: ({ query }) => query("ALTER TABLE other_timers RENAME TO ninefold_timers"),
  },
  "only reads are let in, and requests can't be counted": {
    async begin(database) {
      await database.query(`ALTER ROLE ${database.role} SET default_transaction_read_only = on`);
      await disconnect(database);
    },
    async end(database) {
      await database.query(`ALTER ROLE ${database.role} RESET default_transaction_read_only`);
      await disconnect(database);
    },
  },
};

test("a database that goes away in any way ends no process, and is met again without a restart", async (t) => {
  const { client, name: role, schema, path } = await ownRole(t);
  const proxy = await PostgresProxy.start(path);
  t.after(() => proxy.close());
  const query = (sql: string) => client.query(sql.replace("CURRENT_SCHEMA", schema));
  const database: Database = { proxy, role, query };
  const service = served([document, "--store", proxy.url, "--no-operations", "--log", "json"], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  t.after(async () => {
    service.child.kill("SIGKILL");
    await service.ended;
  });
  const origin = (await service.until(/ at (http:\S+)/))[1] as string;
  const send = async (method: string, target: string, body?: object) => {
    const answer = await fetch(origin + target, {
      method,
      ...(body ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get("Retry-After") };
  };
  const reads = [() => send("GET", "/jobs"), () => send("GET", "/jobs/1"), () => send("GET", "/jobs/1/end")];
  const writes = [
    () => send("POST", "/jobs", { name: "new" }),
    () => send("PATCH", "/jobs/1", { name: "other" }),
  ];
  assert.equal((await send("POST", "/jobs", { name: "first" })).status, 201);
  assert.equal((await send("POST", "/hooks", { url: "https://receiver.test/" })).status, 201);
  const reading = new AbortController();
  t.after(() => reading.abort());
  const stream = () => fetch(`${origin}/events`, { signal: reading.signal });
  await stream();
  for (const [what, outage] of Object.entries(outages)) {
    await outage.begin(database);
    const answers = await Promise.all([...reads, ...writes].map((ask) => ask()));
    for (const [at, { status, retryAfter }] of answers.entries()) {
      assert.deepEqual([status, retryAfter !== null], [503, true], `${what}: request ${at}`);
    }
    await outage.end(database);
    await eventually(async () => {
      for (const ask of [...reads, ...writes])
        assert.ok((await ask()).status < 300, `${what}: it isn't met again`);
    });
    assert.equal(service.child.exitCode, null, `${what}: ${service.told()}`);
    assert.doesNotMatch(service.told(), /unhandled rejection/, what);
    await stream();
  }
});
