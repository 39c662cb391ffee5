/**
 * Statements that are queried together and so sent together: each gets its result as if it had been
 * sent alone.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { PostgresConnection } from "../../src/store/postgres/connection/connection.ts";
import { isBehindFailure } from "../../src/store/postgres/connection/failures.ts";
import { freshSchema, type Schema } from "./server.ts";
import type { SqlValue } from "../../src/store/sql/sql-value.ts";

let schema: Schema;
let reads: PostgresConnection;
let writes: PostgresConnection;

const quotient = { sql: "SELECT 12 / $1::integer" };
const insert = { sql: "INSERT INTO kept (number) VALUES ($1::integer)" };
const listing = { sql: "SELECT * FROM unnest($1::text[]) AS listed" };
const count = { sql: "SELECT count(*)::integer FROM kept" };

before(async () => {
  schema = await freshSchema();
  const options = { pipelines: true, statementMs: 5_000 };
  reads = await PostgresConnection.open(addressOf(schema.url), { ...options, isAutocommit: true });
  writes = await PostgresConnection.open(addressOf(schema.url), options);
  await writes.go("CREATE TABLE kept (number integer)");
  // Prepared statements are pipelined from now on.
  await reads.queryRows(quotient, [1]);
  await writes.queryRows(insert, [0]);
  await writes.queryRows(count, []);
});

after(async () => {
  await reads.close();
  await writes.close();
  await schema.drop();
});

async function divided(by: number): Promise<unknown> {
  const { rows } = await reads.queryRows(quotient, [by]);
  return rows[0]?.[0];
}

test("reads after a failed one in the pipeline succeed", async () => {
  const answers = await Promise.allSettled([1, 0, 2, 0, 3, 4].map(divided));
  assert.deepEqual(
    answers.map((answer) =>
      answer.status === "fulfilled" ? answer.value : (answer.reason as { code: string }).code,
    ),
    [12, "22012", 6, "22012", 4, 3],
  );
});

test("more statements than one batch are answered in order", async () => {
  const numbers = Array.from({ length: 300 }, (_, at) => 1 + (at % 12));
  assert.deepEqual(
    await Promise.all(numbers.map(divided)),
    numbers.map((number) => Math.trunc(12 / number)),
  );
});

test("in a transaction no statement after a failed one runs, even if it is sent later", async () => {
  await writes.go("TRUNCATE kept");
  await writes.go("BEGIN");
  const values: readonly SqlValue[] = ["1", "no number", "2", "3"];
  const sent = values.map((value) => writes.queryRows(insert, [value]));
  const [answers] = await Promise.all([Promise.allSettled(sent), writes.command("ROLLBACK")]);
  const failures = answers.map((answer) => (answer.status === "fulfilled" ? undefined : answer.reason));
  assert.equal(failures[0], undefined);
  assert.equal((failures[1] as { code: string }).code, "22P02");
  assert.ok(isBehindFailure(failures[2]) && isBehindFailure(failures[3]));
  assert.deepEqual((await writes.queryRows(count, [])).rows, [[0]]);
});

test("a statement that is sent alone runs after those that were queried before it", async () => {
  await writes.go("TRUNCATE kept");
  const answers = await Promise.all([
    writes.queryRows(insert, [1]),
    writes.go("SELECT count(*)::integer FROM kept"),
    writes.queryRows(insert, [2]),
    writes.queryRows({ sql: "SELECT count(*)::integer + 0 FROM kept" }, []),
  ]);
  assert.equal(answers[0].changes, 1);
  assert.deepEqual(answers[1], [[1]]);
  assert.deepEqual(answers[3].rows, [[2]]);
});

test("values of every kind arrive as they were given, alone and together", async () => {
  const types = ["text", "bigint", "double precision", "bytea", "boolean", "text[]", "bigint[]"];
  const statement = { sql: `SELECT ${types.map((type, at) => `$${at + 1}::${type}`).join(", ")}` };
  const texts = ["", "NULL", 'a"b\\c', "{x,y}", "Zürich 💜\n", null];
  const values = [
    "'\"\\{",
    9007199254740993n,
    -0.5,
    new Uint8Array([0, 255, 92]),
    "true",
    texts,
    [1, null, 3],
  ];
  const requested = { statement, values: values as unknown as SqlValue[], kind: "all" } as const;
  const alone = await reads.execute(requested);
  const together = await reads.execute(requested);
  assert.deepEqual(together.rows, alone.rows);
  for (const way of ["alone", "together"]) {
    const { rows } = await reads.queryRows(listing, [texts as unknown as SqlValue]);
    assert.deepEqual(rows.flat(), texts, way);
  }
});

test("all statements that wait for a lost connection fail", async () => {
  const lost = await PostgresConnection.open(addressOf(schema.url), { pipelines: true, statementMs: 5_000 });
  await lost.queryRows(quotient, [1]);
  const [pid] = await lost.go("SELECT pg_backend_pid()");
  const sent = [1, 2, 3].map((by) => lost.queryRows(quotient, [by]));
  const end = writes.go(`SELECT pg_terminate_backend(${pid?.[0]})`);
  await Promise.allSettled(sent);
  await end;
  for (let tries = 0; lost.isThere && tries < 500; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const later = await Promise.allSettled([1, 2, 3].map((by) => lost.queryRows(quotient, [by])));
  assert.deepEqual(
    later.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
});
