/** Statements that requests compose: they use up no names of prepared statements. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { PostgresConnection } from "../../src/store/postgres/connection/connection.ts";
import { freshSchema } from "./server.ts";

test("a statement that requests compose is run and isn't kept prepared", async (t) => {
  const schema = await freshSchema();
  const connection = await PostgresConnection.open(addressOf(schema.url), {
    pipelines: true,
    statementMs: 5_000,
  });
  t.after(async () => {
    await connection.close();
    await schema.drop();
  });
  const prepared = async () =>
    Number(
      (await connection.queryRows({ sql: "SELECT count(*) FROM pg_prepared_statements" }, [])).rows[0]?.[0],
    );
  const before = await prepared();
  const composed = Array.from({ length: 20 }, (_, at) => ({
    sql: `SELECT $1::integer + ${at}`,
    isComposed: true,
  }));
  const answers = await Promise.all(composed.map((statement) => connection.queryRows(statement, [1])));
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]?.[0]),
    composed.map((_, at) => at + 1),
  );
  assert.equal(await prepared(), before);
  await connection.queryRows({ sql: "SELECT $1::integer + 100" }, [1]);
  assert.equal(await prepared(), before + 1);
});
