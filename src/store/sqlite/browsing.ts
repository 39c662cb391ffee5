/**
 * Looking over the engine's own tables (the log, deliveries, receivers): what may go through many rows is asked like any patient read, here
 * first and then on another thread. Which statements there are is in `log.ts` and `deliveries.ts`.
 */
import { sqliteDialect } from "./dialect.ts";
import { raw, type SqlValue, textOf } from "../sql/fragment.ts";
import type { Connection, Row } from "./connection.ts";
import type { AskedElsewhere } from "./reading/thread.ts";

/** One statement with its values, and what its rows mean. Whoever writes it looks up places along indexes first. */
export type Browsing<T> = (connection: Connection) => {
  readonly text: string;
  readonly values: SqlValue[];
  readonly read: (rows: readonly Row[]) => T;
};

/** Conditions that hold together, with the values of their parameters. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SqlValue[] = [];

  /** Where one of the values is undefined, nothing was asked. */
  add(condition: string, ...given: readonly (SqlValue | undefined)[]): this {
    if (given.some((value) => value === undefined)) return this;
    this.#texts.push(condition);
    this.values.push(...(given as SqlValue[]));
    return this;
  }

  /** `WHERE …`, with what lets the statement be ended on its way. */
  get ticking(): string {
    return ` WHERE ${[textOf(sqliteDialect.tick(raw("1"))), ...this.#texts].join(" AND ")}`;
  }

  get where(): string {
    return this.#texts.length === 0 ? "" : ` WHERE ${this.#texts.join(" AND ")}`;
  }
}

/** Gives each text one object, by which threads know it: a bounded number of texts, as there are filters. */
export function createStatements(): (text: string) => AskedElsewhere {
  const known = new Map<string, AskedElsewhere>();
  return (text) => {
    let statement = known.get(text);
    if (!statement) {
      statement = { question: ["system", text] };
      known.set(text, statement);
    }
    return statement;
  };
}
