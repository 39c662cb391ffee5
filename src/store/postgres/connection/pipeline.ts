/**
 * Pipeline: sends prepared statements with a single Sync message, as a custom query of the driver.
 *
 * The server sends one response for all of them. With a Sync each, every statement would cost both
 * sides a message, a system call and a description of its columns. Statements after a failed one
 * aren't executed.
 */
import pg from "pg";
import type { Row } from "../../rows/steps.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** The decoder of each column of a statement's rows. */
export type Shape = readonly ((text: string) => unknown)[];

/** The value of a parameter. An array is sent as an SQL array. */
export type Bound = SqlValue | readonly SqlValue[];

export interface QueuedStatement {
  /** The prepared name of the statement on this connection. */
  readonly name: string;
  readonly shape: Shape;
  readonly values: readonly Bound[];
  readonly arrived: (rows: readonly Row[], count: number) => void;
  readonly failed: (error: Error) => void;
}

/** The methods of the driver's connection that a pipeline uses. */
interface PipelineConnection {
  bind(statement: {
    readonly statement: string;
    readonly values: readonly unknown[];
    readonly valueMapper: (value: unknown) => string | Uint8Array | null;
  }): void;
  execute(portal: object): void;
  sync(): void;
}

/**
 * The error of a statement that wasn't executed because an earlier one failed. Inside a
 * transaction, the server reports the same error.
 */
export class NotExecuted extends Error {
  override name = "NotExecuted";
  readonly code = "25P02";
  constructor() {
    super("a statement before it has failed");
  }
}

const unnamedPortal = {};

/** A batch of prepared statements, as the driver's query. */
export class Pipeline extends pg.Query {
  readonly #statements: readonly QueuedStatement[];
  readonly #over: () => void;
  /** The index of the statement whose result comes next. */
  #at = 0;
  #rows: Row[] = [];

  /** @param over called when all statements are answered, or the connection is lost */
  constructor(passengers: readonly QueuedStatement[], over: () => void) {
    super("");
    this.#statements = passengers;
    this.#over = over;
  }

  override submit = (connection: unknown): void => {
    const pipelineConnection = connection as PipelineConnection;
    for (const { name, values } of this.#statements) {
      pipelineConnection.bind({ statement: name, values, valueMapper: isoTimestamp });
      pipelineConnection.execute(unnamedPortal);
    }
    pipelineConnection.sync();
  };

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { shape } = this.#statements[this.#at] as QueuedStatement;
    const row: unknown[] = new Array(fields.length);
    for (let at = 0; at < fields.length; at += 1) {
      const text = fields[at] as string | null;
      row[at] = text === null ? null : (shape[at] as (text: string) => unknown)(text);
    }
    this.#rows.push(row);
  }

  /** A command tag, such as `INSERT 0 5` or `SELECT 20`, ends with the number of rows. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const { arrived } = this.#statements[this.#at] as QueuedStatement;
    const rows = this.#rows;
    this.#rows = [];
    this.#at += 1;
    arrived(rows, Number(text.slice(text.lastIndexOf(" ") + 1)) || 0);
  }

  /** The error of a statement, or of the connection. */
  handleError(error: Error): void {
    const [first, ...others] = this.#statements.slice(this.#at);
    this.#at = this.#statements.length;
    const ofOthers = error instanceof pg.DatabaseError ? new NotExecuted() : error;
    this.#over();
    first?.failed(error);
    for (const { failed } of others) failed(ofOthers);
  }

  handleReadyForQuery(): void {
    this.#over();
  }
}

/** Encodes a value as the server reads it: a text, bytes, or an array of texts and numbers. */
function isoTimestamp(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined || typeof value === "string") return value ?? null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? `{${value.map(listed).join(",")}}` : String(value);
}

function listed(item: unknown): string {
  if (item === null || item === undefined) return "NULL";
  if (typeof item === "number") return String(item);
  return `"${String(item).replace(/["\\]/g, "\\$&")}"`;
}
