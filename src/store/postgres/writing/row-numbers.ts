/**
 * Row numbers of new records, reserved ahead.
 *
 * A group first reserves about as many as recent groups have used, so that its inserts are sent
 * without waiting for results. Unused numbers are never assigned: the order of rows is the order in
 * which requests started to write, also with several instances.
 */
import { statement } from "../../rows/steps.ts";
import type { PostgresConnection } from "../connection/connection.ts";
import { postgresRowDialect } from "../statements/row-dialect.ts";

/** The maximum number of reserved numbers of a table. */
const reservedMax = 1_024;

const oidOf = statement<readonly [oid: string]>(
  "SELECT pg_get_serial_sequence($1::text, '#row')::regclass::oid",
);
const reserve = statement<readonly [oid: string, row: number]>(
  `SELECT wanted.oid, nextval(wanted.oid::oid::regclass) FROM unnest($1::text[], $2::bigint[]) AS wanted (oid, count),
    generate_series(1, wanted.count)`,
);

interface TableNumbers {
  readonly oid: string;
  free: number[];
  /** How many numbers the open group has used, and how many the next one is expected to use. */
  used: number;
  expected: number;
}

/** The reserved row numbers of all tables, for one connection. */
export class RowNumbers {
  readonly #tables = new Map<string, TableNumbers>();

  /** Reserves numbers for a group, as the connection's next statement. */
  async reserve(connection: PostgresConnection): Promise<void> {
    const wanted: TableNumbers[] = [];
    for (const table of this.#tables.values()) {
      table.expected = Math.max(table.used, Math.floor(table.expected * 0.75));
      table.used = 0;
      table.free = [];
      if (table.expected > 0) wanted.push(table);
    }
    if (wanted.length > 0)
      await this.#reserved(connection, wanted, (table) => Math.min(table.expected, reservedMax));
  }

  /** Takes the number of a new row; undefined if none is left. */
  take(resource: string): number | undefined {
    const table = this.#tables.get(resource);
    const row = table?.free.shift();
    if (table && row !== undefined) table.used += 1;
    return row;
  }

  /** Reserves more numbers, and waits for them. */
  async reserveMore(connection: PostgresConnection, resource: string): Promise<void> {
    let table = this.#tables.get(resource);
    if (!table) {
      const name = postgresRowDialect.table(resource);
      const [row] = (await connection.queryRows(oidOf, [name])).rows;
      table = this.#tables.get(resource) ?? { oid: String(row?.[0]), free: [], used: 0, expected: 0 };
      this.#tables.set(resource, table);
    }
    await this.#reserved(connection, [table], ({ used }) => Math.min(Math.max(used, 1), reservedMax));
  }

  async #reserved(
    connection: PostgresConnection,
    tables: readonly TableNumbers[],
    count: (table: TableNumbers) => number,
  ): Promise<void> {
    const values = [tables.map(({ oid }) => oid), tables.map(count)];
    const { rows } = await connection.queryRows(reserve, values);
    for (const [oid, row] of rows) tables.find((table) => table.oid === oid)?.free.push(row);
  }
}
