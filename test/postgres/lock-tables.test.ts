/** Lock tables: sessions that create them at the same time, on a server without DDL in transactions. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TableLocks } from "../../src/store/postgres/connection/session-locks.ts";
import { freshSchema, type Schema } from "./server.ts";

let schema: Schema;
before(async () => {
  schema = await freshSchema();
});
after(() => schema.drop());

/** Each creation meets others at another statement, as far as the server's timing allows. */
const rounds = 14;
const sessions = 4;

test("sessions that create the lock tables at the same time all get their locks", async () => {
  const clients = await Promise.all(
    Array.from({ length: sessions }, () => schema.connect({ connectionTimeoutMillis: 60_000 })),
  );
  for (let round = 0; round < rounds; round += 1) {
    const name = `${schema.name}_${round}`;
    const locks = clients.map((client, at) => {
      const session = {
        /** Runs each statement in a transaction of its own. */
        async go(sql: string) {
          let rows: unknown[][] = [];
          for (const text of sql.split("; "))
            rows = (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
          return rows as never;
        },
        close: () => Promise.resolve(),
      };
      const open = async () => {
        // Later sessions are some statements behind, so that they meet the first one at each of its own.
        for (let behind = 0; behind <= (round * at) % 7; behind += 1)
          await client.query(`SET search_path TO ${name}`);
        return session;
      };
      return new TableLocks(session, open, name, 0);
    });
    assert.deepEqual(
      await Promise.all(locks.map((each) => each.take("serving", "shared"))),
      locks.map(() => true),
    );
    await Promise.all(locks.map((each) => each.releaseAll()));
    for (const client of clients) await client.query("ROLLBACK");
    await clients[0]?.query(`DROP SCHEMA ${name} CASCADE`);
  }
});
