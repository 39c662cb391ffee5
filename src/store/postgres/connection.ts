/** Connections to PostgreSQL: how they are set up, and their prepared statements. The only file of the store that knows the driver. */
import pg from "pg";
import type { Answer, Asked, Statement } from "../rows/steps.ts";
import { quoted, type SqlValue } from "../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { resultTypes } from "./forms.ts";

export interface ConnectionWishes {
  /** Statements are sent without waiting for the answers of those before. */
  readonly pipelines: boolean;
  /** How long one statement may take, in milliseconds; 0 for as long as it takes. */
  readonly statementMs: number;
  /** The connection is gone. */
  readonly onLost?: (error: Error) => void;
}

/** How long a connection may take to be made, in milliseconds. */
const connectMs = 5_000;
/** Names for prepared statements of so many texts that nobody keeps; what comes behind them is prepared each time. */
const textsMax = 2_000;

/** By a statement's object, for those that are kept; by their text for others. */
const names = new WeakMap<Statement, string>();
const namesOfTexts = new Map<string, string>();
const numbered = new WeakMap<Statement, string>();

function nameOf(statement: Statement): string | undefined {
  let name = names.get(statement) ?? namesOfTexts.get(statement.sql);
  if (name === undefined && namesOfTexts.size < textsMax) {
    name = `n${namesOfTexts.size + 1}`;
    namesOfTexts.set(statement.sql, name);
  }
  if (name !== undefined) names.set(statement, name);
  return name;
}

/** The text with `$1` where the statement has `?` or `?1`. */
export function withNumbers(sql: string): string {
  let last = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d*)/g, (found, number: string | undefined) => {
    if (!found.startsWith("?")) return found;
    if (number) return `$${number}`;
    last += 1;
    return `$${last}`;
  });
}

export class PostgresConnection {
  readonly #client: pg.Client;
  #lost: Error | undefined;

  private constructor(client: pg.Client, onLost: (error: Error) => void) {
    this.#client = client;
    const lost = (error: Error): void => {
      if (this.#lost) return;
      this.#lost = error;
      onLost(error);
    };
    client.on("error", lost);
    client.on("end", () => lost(new Error("connection terminated")));
  }

  /** @throws what the driver or the server says of it */
  static async open(
    { url, schema }: PostgresAddress,
    { pipelines, statementMs, onLost = () => {} }: ConnectionWishes,
  ): Promise<PostgresConnection> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      application_name: "ninefold",
      keepAlive: true,
      types: resultTypes,
      ...(pipelines ? { pipeline: true } : {}),
    });
    const connection = new PostgresConnection(client, onLost);
    try {
      await client.connect();
      await client.query(
        `SET search_path TO ${quoted(schema)}; SET timezone TO 'UTC'; SET datestyle TO 'ISO'; SET extra_float_digits TO 1;
        SET jit TO off; SET statement_timeout TO ${statementMs}; SET client_min_messages TO warning`,
      );
      return connection;
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** It can still be asked. */
  get isThere(): boolean {
    return this.#lost === undefined;
  }

  /** One prepared statement. */
  async ask({ statement, values, kind }: Asked): Promise<Answer> {
    let text = numbered.get(statement);
    if (text === undefined) {
      text = withNumbers(statement.sql);
      numbered.set(statement, text);
    }
    return this.#query(text, values, nameOf(statement), kind);
  }

  /** A statement that says its parameters as PostgreSQL does. */
  askRows(statement: Statement, values: readonly SqlValue[]): Promise<Answer> {
    return this.#query(statement.sql, values, nameOf(statement), "all");
  }

  /** Several statements without parameters, one behind the other. Answers the rows of the last one that has any. */
  async go(sql: string): Promise<readonly (readonly unknown[])[]> {
    const results = await this.#client.query({ text: sql, rowMode: "array" });
    const last = Array.isArray(results) ? results.at(-1) : results;
    return (last?.rows ?? []) as readonly (readonly unknown[])[];
  }

  /** What a COMMIT has come to: after a failure it answers `ROLLBACK`, and no error. */
  async command(sql: string): Promise<string> {
    return (await this.#client.query(sql)).command;
  }

  async listen(channel: string, told: (payload: string) => void): Promise<void> {
    this.#client.on("notification", (message) => {
      if (message.channel === channel) told(message.payload ?? "");
    });
    await this.#client.query(`LISTEN ${quoted(channel)}`);
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("connection terminated");
    await this.#client.end().catch(() => {});
  }

  async #query(
    text: string,
    values: readonly SqlValue[],
    name: string | undefined,
    kind: Asked["kind"],
  ): Promise<Answer> {
    if (this.#lost) throw this.#lost;
    const result = await this.#client.query({
      text,
      values: values as SqlValue[],
      rowMode: "array",
      ...(name !== undefined && { name }),
    });
    const rows = result.rows as readonly (readonly unknown[])[];
    const lastRow = kind === "change" ? Number(rows[0]?.[0] ?? 0) : 0;
    return { rows, changes: result.rowCount ?? 0, lastRow };
  }
}
