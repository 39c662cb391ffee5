/**
 * Writes of two instances to neighbouring records: records made one after another are neighbours in
 * the index of row numbers, and a transaction that reads by it conflicts with changes of neighbours.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test, type TestContext } from "node:test";
import type { Frame, RecordValue } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { defaultLimits } from "../../src/store/group-commit.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Transaction } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { freshSchema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
/** Enough for several pages of each index. Their pages are full, so a change adds index entries. */
const count = 3_000;

async function opened(t: TestContext, path: string) {
  const limits = { ...defaultLimits, groupMs: 60_000 };
  const store = await openPostgresStore(notes, meaningOf(notes), { path, limits });
  t.after(() => store.close());
  return store;
}

/** An identifier as `random` makes them: no neighbour of the one before. */
const idOf = (number: number) => createHash("sha1").update(`note ${number}`).digest("hex");

/** Changes a record, and reads it, so that the change is sent at once. */
async function change(transaction: Transaction, record: RecordValue, text: string): Promise<void> {
  await transaction.update("Note", record, { text });
  const read = statementOf(`SELECT text FROM "Note" WHERE id = '${String(record["id"])}'`);
  assert.equal(await transaction.value(read, {} as Frame), text);
}

test("two instances change neighbouring records at once, and neither repeats its change", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  const [first, second] = [await opened(t, schema.url), await opened(t, schema.url)];
  const records = await first.write(
    async (transaction) => {
      const made: RecordValue[] = [];
      for (let number = 0; number < count; number += 1)
        made.push(await transaction.insert("Note", { id: idOf(number), text: "as made" }));
      return made;
    },
    { repeatable: true },
  );
  const connection = await schema.connect();
  await connection.query('ANALYZE "Note"');
  const [earlier, between, later] = records.slice(count / 2) as [RecordValue, RecordValue, RecordValue];
  let runs = 0;
  await first.write(
    async (transaction) => {
      runs += 1;
      await change(transaction, earlier, "by the first");
      await second.write(
        async (other) => {
          await change(other, between, `by the second, ${runs}`);
          await change(transaction, later, "by the first");
        },
        { repeatable: true },
      );
    },
    { repeatable: true },
  );
  assert.equal(runs, 1);
  const { rows } = await connection.query(
    `SELECT count(*)::int AS changed FROM "Note" WHERE text <> 'as made'`,
  );
  assert.deepEqual(rows, [{ changed: 3 }]);
});
