/**
 * Browsing of the engine's own tables: the event log, deliveries and receivers.
 *
 * Each query is one statement that may read many rows; the caller limits its time. `log.ts` and
 * `deliveries.ts` have the statements.
 */
import type { Row } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** One statement with its values, and the decoder of its rows. */
export interface Browsing<T, R extends Row = Row> {
  readonly text: string;
  readonly values: readonly SqlValue[];
  read(rows: readonly R[]): T;
}

/** Conditions that are joined by AND, with the values of their parameters. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SqlValue[] = [];

  /**
   * Adds a condition. If one of the values is undefined, the filter doesn't have it, and no
   * condition is added.
   */
  add(condition: string, ...given: readonly (SqlValue | undefined)[]): this {
    if (given.some((value) => value === undefined)) return this;
    this.#texts.push(condition);
    this.values.push(...(given as SqlValue[]));
    return this;
  }

  /** Writes `WHERE …`, with a call that lets the caller interrupt the statement. */
  ticking({ tick }: RowDialect): string {
    return ` WHERE ${[tick, ...this.#texts].join(" AND ")}`;
  }

  get where(): string {
    return this.#texts.length === 0 ? "" : ` WHERE ${this.#texts.join(" AND ")}`;
  }
}
