/**
 * An addition that the schema records as started, while an instance serves: it is resumed or
 * removed, however far it got.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import type { Store } from "../../src/store/store.ts";
import { documentOf, open, resource } from "../changes/desk.ts";
import { freshSchema } from "./server.ts";

const desk = (...rows: readonly string[]) =>
  resource("User", "name | string |") + resource("Ticket", "title | string |", ...rows);
const first = documentOf(desk());
const more = documentOf(
  desk("owner | User |", "code | string | unique") + resource("Note", "ticket | Ticket | required"),
);

/**
 * A schema that an instance of the first document serves, after an interrupted addition by another
 * instance.
 */
async function started(
  work: (start: (document: string) => Promise<Store>, client: pg.Client) => Promise<void>,
) {
  const schema = await freshSchema();
  const stores: Store[] = [];
  const start = async (document: string): Promise<Store> => {
    const store = await open(document, schema.url);
    stores.push(store);
    return store;
  };
  try {
    const former = await start(first);
    await former.write(async (transaction) => transaction.insert("Ticket", { id: "t", title: "a" }));
    const client = await schema.connect();
    const tablesNow = async () =>
      (await client.query("SELECT value FROM ninefold_meta WHERE name = 'tables'")).rows[0].value as string;
    const was = await tablesNow();
    const added = await start(more);
    await added.write(async (transaction) => transaction.insert("Note", { id: "n", ticket: "t" }));
    await added.close();
    const aim = await tablesNow();
    await client.query("UPDATE ninefold_meta SET value = $1 WHERE name = 'tables'", [was]);
    await client.query("INSERT INTO ninefold_meta (name, value) VALUES ('aim', $1)", [aim]);
    await work(start, client);
    assert.equal(former.status().servingState, "serving");
    await former.write(async (transaction) => transaction.insert("Ticket", { id: "later", title: "b" }));
    assert.equal((await client.query("SELECT 1 FROM ninefold_meta WHERE name = 'aim'")).rowCount, 0);
  } finally {
    for (const store of stores) await store.close();
    await schema.drop();
  }
}

async function columnsOf(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `SELECT string_agg(column_name, ' ' ORDER BY column_name) AS names FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = 'Ticket' AND column_name NOT LIKE '#%'`,
  );
  return rows[0].names;
}

test("existing parts of an interrupted addition are kept with their content", async () => {
  await started(async (start, client) => {
    const later = await start(more);
    assert.equal(await columnsOf(client), "code id owner title");
    assert.deepEqual((await client.query(`SELECT id, ticket FROM "Note"`)).rows, [{ id: "n", ticket: "t" }]);
    await later.write(async (transaction) => transaction.insert("Ticket", { id: "x", code: "1" }));
    await assert.rejects(
      later.write(async (transaction) => transaction.insert("Ticket", { id: "y", code: "1" })),
      /duplicate of Ticket: code/,
    );
  });
});

test("the former document removes an interrupted addition, even if a table is still missing", async () => {
  await started(async (start, client) => {
    await client.query(`DROP TABLE "Note"`);
    await start(first);
    assert.equal(await columnsOf(client), "id title");
  });
});
