/**
 * Snapshot copy of a schema's tables for one connection, in temporary tables. The server drops them
 * with the connection in every case. The copy only reads the schema, so it blocks no user.
 */
import { movedRecords } from "../../move/moved-table.ts";
import { quoted, quotedText as text } from "../../sql/fragment.ts";
import type { Tables } from "../../tables.ts";
import type { PostgresAddress } from "../connection/address.ts";
import type { MigrationSession } from "../migrations/session.ts";
import { createIndexes, createTable, foreignKeys } from "../statements/ddl.ts";
import { columnIdentifier, tableIdentifier } from "../statements/names.ts";
import type { Table } from "../../table.ts";

/** The engine's own tables that stored changes may read or set. */
const ownCopied = ["ninefold_changes", "ninefold_settings", "ninefold_sequences"];
/** Tables whose content no stored change reads. They are created empty. */
const ownEmpty = [
  "ninefold_timers",
  "ninefold_receivers",
  "ninefold_deliveries",
  "ninefold_events",
  "ninefold_idempotency",
  "ninefold_rates",
];

/**
 * Copies the tables. From then on, the session sees the copy instead of them.
 * @param onPages receives the progress of the copy, in bytes
 */
export async function copyTables(
  session: MigrationSession,
  { schema }: PostgresAddress,
  tables: Tables,
  onPages: (done: number, all: number) => void,
): Promise<void> {
  const there = (identifier: string) => `${quoted(schema)}.${identifier}`;
  const copied = tables.tables.map((table) => ({ table, from: there(tableIdentifier(table.name)) }));
  // One snapshot of all tables. The functions stay in their schema.
  await session.transaction(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`, async () => {
    const sizes: number[] = [];
    for (const { from } of copied) sizes.push(await bytesOf(from, session));
    const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
    await session.go(`SET LOCAL search_path TO pg_temp, ${quoted(schema)}`);
    for (const name of [...ownCopied, ...ownEmpty])
      await session.go(`CREATE TABLE pg_temp.${name} (LIKE ${there(name)} INCLUDING ALL)`);
    for (const name of ownCopied)
      await session.go(`INSERT INTO pg_temp.${name} SELECT * FROM ${there(name)}`);
    let done = 0;
    for (const [at, { table, from }] of copied.entries()) {
      await copy(table, from, session);
      done += sizes[at] as number;
      onPages(done, all);
    }
    for (const { add } of foreignKeys(tables)) await session.go(add);
  });
  await session.go(`SET search_path TO pg_temp, ${quoted(schema)}`);
  // The planner needs the number of rows for later statements.
  for (const { table } of copied) await session.go(`ANALYZE ${tableIdentifier(table.name)}`);
}

async function copy(table: Table, from: string, session: MigrationSession): Promise<void> {
  const identifier = tableIdentifier(table.name);
  const columns = movedRecords(table)
    .columns.map(({ name }) => columnIdentifier(name))
    .join(", ");
  await session.go(createTable(table));
  await session.go(`INSERT INTO ${identifier} (${columns}) SELECT ${columns} FROM ${from} ORDER BY "#row"`);
  const [last] = await session.go(
    `SELECT pg_sequence_last_value(pg_get_serial_sequence(${text(from)}, '#row')::regclass)`,
  );
  if (last?.[0] != null)
    await session.go(`ALTER TABLE ${identifier} ALTER COLUMN "#row" RESTART WITH ${Number(last[0]) + 1}`);
  for (const statement of createIndexes(table)) await session.go(statement);
}

async function bytesOf(table: string, session: MigrationSession): Promise<number> {
  const [row] = await session.go(`SELECT pg_table_size(${text(table)}::regclass)`);
  return Number(row?.[0]);
}
