/**
 * The outage matrix: a serving process whose document has timed transitions, webhooks, a stream, held answers and rates, under reads and
 * writes, while its database can't be used. Each request is answered 503 with `Retry-After`, the process goes on, and all is well again when
 * the database is, without a restart. That another server behind the address is a standby is in `replica.test.ts`, which has one.
 */
import { test } from "node:test";
import { startOutageService } from "./outage-service.ts";
import { ownRole } from "./own-role.ts";
import { PostgresProxy } from "./proxy.ts";

interface Database {
  readonly proxy: PostgresProxy;
  readonly role: string;
  /** Runs a statement as the server's owner, with the service's schema. */
  query(sql: string): Promise<unknown>;
}

interface Outage {
  begin(database: Database): unknown;
  end(database: Database): unknown;
}

const disconnect = ({ role, query }: Database) =>
  query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);

const outages: Readonly<Record<string, Outage>> = {
  "connections are reset": { begin: ({ proxy }) => proxy.leave(), end: ({ proxy }) => proxy.comeBack() },
  "connections are refused": { begin: ({ proxy }) => proxy.refuse(), end: ({ proxy }) => proxy.listen() },
  "the server is frozen: nothing gets through": {
    begin: ({ proxy }) => proxy.silence(),
    end: ({ proxy }) => proxy.speak(),
  },
  "connections hang: they are reset, and new ones are never accepted": {
    begin({ proxy }) {
      proxy.keepWaiting();
      proxy.cut();
    },
    end: ({ proxy }) => proxy.letIn(),
  },
  "the role has no connection left": {
    async begin(database) {
      await database.query(`ALTER ROLE ${database.role} CONNECTION LIMIT 0`);
      await disconnect(database);
    },
    end: ({ query, role }) => query(`ALTER ROLE ${role} CONNECTION LIMIT -1`),
  },
  "the role may not log in": {
    async begin(database) {
      await database.query(`ALTER ROLE ${database.role} NOLOGIN`);
      await disconnect(database);
    },
    end: ({ query, role }) => query(`ALTER ROLE ${role} LOGIN`),
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
  "the engine's own table was dropped, and is restored": {
    begin: ({ query, role }) =>
      query(`CREATE TABLE kept_timers (LIKE ninefold_timers INCLUDING ALL); INSERT INTO kept_timers TABLE ninefold_timers;
        ALTER TABLE kept_timers OWNER TO ${role}; DROP TABLE ninefold_timers`),
    end: ({ query }) => query("ALTER TABLE kept_timers RENAME TO ninefold_timers"),
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

test("no kind of database outage ends a process, and the service recovers without a restart", async (t) => {
  const { client, name: role, schema, path } = await ownRole(t);
  const proxy = await PostgresProxy.start(path);
  t.after(() => proxy.close());
  const query = (sql: string) => client.query(sql.replaceAll("CURRENT_SCHEMA", schema));
  const database: Database = { proxy, role, query };
  const service = await startOutageService(t, proxy.url);
  for (const [at, [what, outage]] of Object.entries(outages).entries()) {
    await outage.begin(database);
    await service.expectAway(what, at % 2 === 0 ? "reads" : "writes");
    await outage.end(database);
    await service.expectBack(what);
  }
});
