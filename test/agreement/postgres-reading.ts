/** PostgreSQL reading: the records of a world in PostgreSQL, in their own schema. */
import type { Meaning } from "../../src/expressions/scope.ts";
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import { columnType, encoderOf } from "../../src/store/postgres/statements/columns.ts";
import { postgresDialect } from "../../src/store/postgres/statements/dialect.ts";
import { resultTypes } from "../../src/store/postgres/statements/forms.ts";
import { functionDefinitions } from "../../src/store/postgres/statements/functions.ts";
import { createCompiler } from "../../src/store/sql/queries.ts";
import { keysOf } from "../../src/store/rows/keys.ts";
import { type QueryRows, postFilterOf } from "../../src/store/rows/session.ts";
import { jointKeyColumn, type Tables } from "../../src/store/tables.ts";
import { freshSchema } from "../postgres/server.ts";
import type { Reading } from "./world.ts";
import type { Table } from "../../src/store/table.ts";

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof freshSchema>>["connect"]>>;

export async function createPostgresReading(
  meaning: Meaning,
  tables: Tables,
  records: ReadonlyMap<string, readonly RecordValue[]>,
): Promise<Reading & { close(): Promise<void> }> {
  const schema = await freshSchema();
  const client = await schema.connect({ types: resultTypes });
  // PostgreSQL estimates costs from lists of 100 elements. Compiling a statement took 27 times as
  // long as running it.
  await client.query("SET jit = off");
  await client.query(functionDefinitions().join(";\n"));
  const keyOf = keysOf(tables.tables);
  for (const table of tables.tables) {
    await client.query(tableText(table));
    await fill(client, table, records.get(table.name) ?? [], keyOf);
  }
  const queryRows: QueryRows = async ({ sql: text }, values) => {
    const { rows } = await client.query({ text, values: values(), rowMode: "array" });
    return rows as readonly unknown[][];
  };
  return {
    name: "PostgreSQL",
    compiler: createCompiler(meaning, tables, postgresDialect),
    async evaluate(query, frame) {
      const inner = query.postFilter ? await postFilterOf(query.postFilter, frame, queryRows) : frame;
      const rows = await queryRows(query, () => query.bind(inner), false);
      return rows.map((row) => query.decode(row, frame));
    },
    close: () => schema.drop(),
  };
}

function tableText(table: Table): string {
  const columns = [
    `"#row" bigint PRIMARY KEY`,
    ...table.columns.map(({ name, storage }) => `${postgresDialect.column(name)} ${columnType(storage)}`),
    ...(table.key ? [`"${jointKeyColumn}" ${columnType("text")}`] : []),
    `"#revision" bigint NOT NULL`,
    ...(table.marked ? [`"#deleted" boolean NOT NULL`] : []),
  ];
  return `CREATE TABLE ${postgresDialect.table(table.name)} (${columns.join(", ")})`;
}

async function fill(
  client: Client,
  table: Table,
  records: readonly RecordValue[],
  keyOf: ReturnType<typeof keysOf>,
): Promise<void> {
  const columns = table.columns.map((column) => ({
    name: postgresDialect.column(column.name),
    of: (record: RecordValue): unknown => encoderOf(column, keyOf)(record[column.name] as Value),
  }));
  const all: readonly { name: string; of: (record: RecordValue) => unknown }[] = [
    { name: `"#row"`, of: (record) => record["#row"] },
    { name: `"#revision"`, of: (record) => record["#revision"] },
    ...(table.marked
      ? [{ name: `"#deleted"`, of: (record: RecordValue) => record["#deleted"] === true }]
      : []),
    ...(table.key
      ? [{ name: `"${jointKeyColumn}"`, of: (record: RecordValue) => keyOf(table.name, record) }]
      : []),
    ...columns,
  ];
  const places = all.map((_, at) => `$${at + 1}`);
  const text = `INSERT INTO ${postgresDialect.table(table.name)} (${all.map(({ name }) => name)}) VALUES (${places})`;
  for (const record of records)
    await client.query(
      text,
      all.map(({ of }) => of(record)),
    );
}
