/**
 * Moving stores from and to PostgreSQL schemas. The open source or target has the schema
 * exclusively: no instance serves or changes it meanwhile.
 */
import { StoreRefused } from "../errors.ts";
import { invariant } from "../../support/invariant.ts";
import type { Row, Statement } from "../rows/steps.ts";
import type {
  StartedMove,
  MoveEnd,
  MoveSource,
  MoveTarget,
  StoreDescription,
} from "../move/source-and-target.ts";
import {
  columnsIn,
  lastPositionStatement,
  type MovedColumn,
  type MovedRow,
  type MovedTable,
  type MovedValue,
  pageStatement,
  tableIn,
} from "../move/moved-table.ts";
import { unfinishedMoveKey, refuseUnfinished } from "../move/unfinished-move.ts";
import { quoted, quotedText as text } from "../sql/fragment.ts";
import type { Tables } from "../tables.ts";
import { addressOf, type PostgresAddress } from "./connection/address.ts";
import { hasStore, prepareSchema, raiseGeneration, readMeta, writeMeta } from "./migrations/meta.ts";
import { PostgresConnection } from "./connection/connection.ts";
import { continueLogStatements, lastSequence } from "./statements/event-log.ts";
import { copiedRows } from "./connection/row-copies.ts";
import { createIndexes, createTable, foreignKeys } from "./statements/ddl.ts";
import { readTimestamp } from "./statements/forms.ts";
import { lockExclusively } from "./shared/serving.ts";
import { announceDeliveries, hasAnnouncements } from "./shared/announcement.ts";
import { inspectAddress } from "./connection/pooler.ts";
import { refusalOf, reportedSettings } from "./connection/settings.ts";
import { postgresRowDialect } from "./statements/row-dialect.ts";
import type { SqlValue } from "../sql/sql-value.ts";
import type { Storage } from "../table.ts";

/** The table of events. Its last number is stored separately. */
const events = "ninefold_events";

class PostgresEnd implements MoveEnd {
  readonly shown: string;
  readonly address: PostgresAddress;
  readonly connection: PostgresConnection;
  readonly #pages = new Map<string, Statement>();

  constructor(address: PostgresAddress, connection: PostgresConnection) {
    this.address = address;
    this.shown = address.shown;
    this.connection = connection;
  }

  async ownTables(): Promise<readonly string[]> {
    const rows = await this.statement<readonly [name: string]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = ${text(this.address.schema)} AND table_name LIKE 'ninefold\\_%' ORDER BY 1`,
    );
    return rows.map(([name]) => name);
  }

  async ownColumns(name: string): Promise<readonly MovedColumn[]> {
    const rows = await this.statement<readonly [name: string, type: string]>(
      `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = ${text(this.address.schema)} AND table_name = ${text(name)} ORDER BY ordinal_position`,
    );
    return rows.map(([name, type]) => ({ name, storage: type === "text" ? "text" : "integer" }));
  }

  async count(table: MovedTable): Promise<number> {
    return this.#number(`SELECT count(*) FROM ${tableIn(table, postgresRowDialect)}`);
  }

  async page(table: MovedTable, behind: readonly SqlValue[] | undefined): Promise<readonly MovedRow[]> {
    const sql = pageStatement(table, postgresRowDialect, behind !== undefined);
    const statement = this.#pages.get(sql) ?? { sql };
    this.#pages.set(sql, statement);
    const { rows } = await this.#inWords(
      this.connection.execute({ statement, values: behind ?? [], kind: "all" }),
    );
    const readers = table.columns.map(({ storage }) => readerOf(storage));
    return rows.map((row) => row.map((value, at) => (readers[at] as (stored: unknown) => MovedValue)(value)));
  }

  async lastGiven(table: MovedTable): Promise<number> {
    if (table.name === events) return this.#number(lastSequence);
    const last = await this.#number(
      `SELECT coalesce(max(${quoted(table.counted as string)}), 0) FROM ${tableIn(table, postgresRowDialect)}`,
    );
    const sequence = await this.counter(table);
    const given = await this.#number(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}`,
    );
    return Math.max(last, given);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** The identifier of the sequence that numbers a table's rows. */
  protected async counter(table: MovedTable): Promise<string> {
    const name = `${text(tableIn(table, postgresRowDialect))}, ${text(table.counted as string)}`;
    const [row] = await this.statement<readonly [counter: string]>(`SELECT pg_get_serial_sequence(${name})`);
    invariant(row, "a statement without a table gives one row");
    return row[0];
  }

  /** Runs the work in a transaction: all of it is stored, or nothing. */
  protected async atOnce(work: () => Promise<void>): Promise<void> {
    await this.connection.go("BEGIN");
    try {
      await work();
      if ((await this.connection.command("COMMIT")) !== "COMMIT")
        throw new Error("the transaction was rolled back");
    } catch (error) {
      if (this.connection.isThere) await this.connection.go("ROLLBACK").catch(() => {});
      throw inWords(error, this.address);
    }
  }

  /**
   * Runs a statement.
   * @throws StoreRefused if the server rejects it, with its reason
   */
  protected statement<R extends Row>(sql: string): Promise<readonly R[]> {
    return this.#inWords(this.connection.go<R>(sql));
  }

  #inWords<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      throw refusalOf(error, this.address);
    });
  }

  async #number(sql: string): Promise<number> {
    const [row] = await this.statement(sql);
    return Number(row?.[0] ?? 0);
  }
}

class PostgresTarget extends PostgresEnd implements MoveTarget {
  async started(): Promise<StartedMove | undefined> {
    const found = await readMeta(this.connection, unfinishedMoveKey);
    return found === undefined ? undefined : JSON.parse(found);
  }

  begin(started: StartedMove, tables: Tables): Promise<void> {
    return this.atOnce(async () => {
      for (const table of tables.tables) await this.connection.go(createTable(table));
      await writeMeta(this.connection, unfinishedMoveKey, JSON.stringify(started));
    });
  }

  async lastPlace(table: MovedTable): Promise<readonly SqlValue[] | undefined> {
    const [row] = await this.connection.go<readonly SqlValue[]>(
      lastPositionStatement(table, postgresRowDialect),
    );
    return row;
  }

  async add(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const columns = columnsIn(table, postgresRowDialect).join(", ");
    const copy = `COPY ${tableIn(table, postgresRowDialect)} (${columns}) FROM STDIN`;
    try {
      // A single statement is a transaction by itself.
      await this.connection.copyIn(copy, copiedRows(table, rows));
    } catch (error) {
      throw inWords(error, this.address);
    }
  }

  finish(is: StoreDescription, tables: Tables, given: ReadonlyMap<MovedTable, number>): Promise<void> {
    return this.atOnce(async () => {
      const go = (sql: string) => this.connection.go(sql);
      for (const table of tables.tables) for (const statement of createIndexes(table)) await go(statement);
      for (const { add } of foreignKeys(tables)) await go(add);
      for (const [table, number] of given) await this.#advancePast(table, number);
      await writeMeta(this.connection, "document", is.document);
      await writeMeta(this.connection, "tables", is.tables);
      await go(`DELETE FROM ninefold_meta WHERE name = ${text(unfinishedMoveKey)}`);
    });
  }

  async #advancePast(table: MovedTable, number: number): Promise<void> {
    if (table.name === events)
      await this.connection.go(
        [`UPDATE ninefold_log SET forgotten = ${number}`, ...continueLogStatements].join("; "),
      );
    else if (number > 0)
      await this.connection.go(`SELECT setval(${text(await this.counter(table))}, ${number})`);
  }
}

function readerOf(storage: Storage): (stored: unknown) => MovedValue {
  switch (storage) {
    case "integer":
    case "duration":
    case "number":
      return (stored) => (stored === null ? null : Number(stored));
    case "timestamp":
      return (stored) => (stored === null ? null : (readTimestamp(String(stored)) as string));
    default:
      return (stored) => stored as MovedValue;
  }
}

function inWords(error: unknown, address: PostgresAddress): unknown {
  const refused = refusalOf(error, address);
  return refused instanceof StoreRefused && error instanceof Error && refused.cause === error
    ? new StoreRefused(
        `${address.shown} can't be written: ${error.message}.`,
        "Run the same command again: it resumes where it stopped.",
        error,
      )
    : refused;
}

/**
 * Opens a connection with exclusive use of the store, for the work.
 * @throws StoreRefused
 */
async function alone<T>(
  path: string,
  work: (connection: PostgresConnection, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  let address = addressOf(path);
  let connection: PostgresConnection | undefined;
  try {
    address = await inspectAddress(address);
    connection = await PostgresConnection.open(address, {
      pipelines: false,
      statementMs: 0,
      needsSession: true,
    });
    // Work on the other store may take long.
    await connection.go("SET idle_in_transaction_session_timeout TO 0; SET lock_timeout TO '10s'");
    await lockExclusively(connection, address);
    await reportedSettings(connection, address);
    return await work(connection, address);
  } catch (error) {
    await connection?.close();
    throw refusalOf(error, address);
  }
}

/**
 * Opens a store as the source of a copy, with the data that is committed now. No writes happen
 * until it is closed.
 * @throws StoreRefused
 */
export function openSource(path: string): Promise<MoveSource> {
  return alone(path, async (connection, address) => {
    if (!(await hasStore(connection, address)))
      throw new StoreRefused(`There is no store at ${address.shown}.`, "Correct its address (?schema=…).");
    // Stops an instance that was suspended for so long that the server took its lock. Otherwise it
    // would continue, and the copy would lack its writes.
    await raiseGeneration(connection);
    await connection.go(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE ninefold_turn IN ACCESS EXCLUSIVE MODE",
    );
    refuseUnfinished(await readMeta(connection, unfinishedMoveKey), address.shown);
    const document = await readMeta(connection, "document");
    const tables = await readMeta(connection, "tables");
    if (document === undefined || tables === undefined)
      throw new StoreRefused(`${address.shown} is empty.`, "There is nothing to copy.");
    // A copy has no announcements: receivers of new deliveries are due in it.
    const [found] = await connection.go(hasAnnouncements);
    if (found?.[0] === true) await connection.go(announceDeliveries);
    return Object.assign(new PostgresEnd(address, connection), { is: { document, tables } });
  });
}

/**
 * Opens a schema as the target of a copy. It doesn't exist yet, is empty, or has an unfinished
 * copy.
 * @throws StoreRefused
 */
export function openTarget(path: string): Promise<MoveTarget> {
  return alone(path, async (connection, address) => {
    await connection.go("BEGIN");
    await prepareSchema(connection, address);
    await connection.go("COMMIT");
    const document = await readMeta(connection, "document");
    if (document !== undefined)
      throw new StoreRefused(
        `${address.shown} is a store already, of "${document}".`,
        "Name another schema (?schema=…), or delete this one first.",
      );
    return new PostgresTarget(address, connection);
  });
}
