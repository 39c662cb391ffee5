/**
 * Reader thread: reads stores for the main thread.
 *
 * It has the model, so it compiles the same queries to the same statements as the store itself. It
 * has its own connection, so it sees what was committed at its start. `patient-reads.ts` decides
 * which reads run here.
 */
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { invariant } from "../../../support/invariant.ts";
import { tablesOf } from "../../tables.ts";
import { type Connection, openConnection, type Row } from "../connection/connection.ts";
import { createQueries, type ThreadQuery, sqlOfQuery } from "../statements/queries.ts";
import { TimeLimitExceeded, withTimeLimit } from "../connection/time-bound.ts";
import { messageOf } from "../../../support/failure.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

export type ToThread =
  | { readonly kind: "open"; readonly source: number; readonly model: Model; readonly path: string }
  /** The content of a store in memory. */
  | { readonly kind: "content"; readonly source: number; readonly content: Uint8Array }
  | {
      readonly kind: "execute";
      readonly source: number;
      readonly query: number;
      readonly question: ThreadQuery;
    }
  | {
      readonly kind: "read";
      readonly source: number;
      readonly query: number;
      readonly values: readonly SqlValue[];
      /** Whether only the first row is needed. */
      readonly first: boolean;
      readonly timeMs: number;
    }
  /** A query that won't be read again without another `execute`. */
  | { readonly kind: "drop"; readonly source: number; readonly query: number }
  | { readonly kind: "close"; readonly source: number };

/**
 * Each `read` gets a message when it starts and when it finishes. Each `close` gets a message when
 * it is done.
 */
export type FromThread =
  | { readonly kind: "started" }
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "timed out" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "closed"; readonly source: number };

interface Opened {
  readonly path: string;
  readonly queries: ReturnType<typeof createQueries>;
  readonly statement: Map<number, string>;
  connection: Connection | undefined;
}

// When all processors are busy, the serving thread has priority, but this one must progress too. At
// the lowest priority, next to twelve busy processes, a statement of half a second had not finished
// after 120 seconds. Only Linux has a priority per thread.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const opened = new Map<number, Opened>();

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (message: ToThread) => {
  switch (message.kind) {
    case "open": {
      const { source, model, path } = message;
      const queries = createQueries(meaningOf(model), tablesOf(model));
      opened.set(source, { path, queries, statement: new Map(), connection: undefined });
      return;
    }
    case "content": {
      const of = openedOf(message.source);
      of.connection?.close();
      of.connection = openConnection(of.path, { content: message.content, readOnly: true });
      return;
    }
    case "execute": {
      const { statement: bound, queries } = openedOf(message.source);
      bound.set(message.query, sqlOfQuery(queries, message.question));
      return;
    }
    case "drop":
      openedOf(message.source).statement.delete(message.query);
      return;
    case "read":
      post({ kind: "started" });
      return post(executeStatement(message));
    case "close":
      opened.get(message.source)?.connection?.close();
      opened.delete(message.source);
      return post({ kind: "closed", source: message.source });
  }
});

function openedOf(source: number): Opened {
  const found = opened.get(source);
  invariant(found, "a thread must have the store that it reads open");
  return found;
}

function executeStatement(read: Extract<ToThread, { kind: "read" }>): FromThread {
  const of = openedOf(read.source);
  try {
    of.connection ??= openConnection(of.path, { readOnly: true });
    const statement = of.connection.prepare(of.statement.get(read.query) as string);
    return withTimeLimit(read.timeMs, () => {
      if (!read.first) return { kind: "rows", rows: statement.all(read.values) };
      const row = statement.get(read.values);
      return { kind: "rows", rows: row ? [row] : [] };
    });
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return { kind: "timed out" };
    return { kind: "failed", message: messageOf(error) };
  }
}
