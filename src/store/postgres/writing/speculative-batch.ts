/**
 * Speculative batch: sends the statements of a write group without awaiting results.
 *
 * Rows have reserved numbers, and results are predicted. Before the commit, `awaitResults` compares the
 * predictions with the results. After a difference, the group runs again with every statement
 * awaited. The group's events are sent with its commit.
 *
 * The batch also tracks when data was changed, for writes that read before they had the lock.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { invariant } from "../../../support/invariant.ts";
import type { NewDelivery } from "../../deliveries.ts";
import type { NewEvent } from "../../store.ts";
import {
  aboutDeliveries,
  type StatementSubject,
  type StatementResult,
  type BoundStatement,
} from "../../rows/steps.ts";
import { deliveryValues, insertDeliveries } from "./appended-deliveries.ts";
import type { PostgresConnection } from "../connection/connection.ts";
import { logStatements } from "../statements/event-log.ts";
import { isBehindFailure } from "../connection/failures.ts";
import type { RowNumbers } from "./row-numbers.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** Read set: what a write has read before it had the lock. */
export interface ReadSet {
  readonly resources: readonly string[];
  /**
   * The resource, if the query finds one record by its identifier. `row` is the record found, once
   * known.
   */
  readonly finds?: string;
  row?: number;
  /** When the query ran, as a number of `now`. */
  readonly at: number;
}

/** State of the event log: unsent events, and the last number if the log is locked. */
export interface LogState {
  readonly events: readonly AppendedEvent[];
  readonly last: number | undefined;
}

/**
 * An event, and the list that receives its number when it is stored, if it has none yet. Its
 * deliveries are stored with it.
 */
export interface AppendedEvent extends NewEvent {
  readonly numbers?: number[];
  readonly deliveries?: readonly NewDelivery[];
}

/** The unawaited statements, the events and the changed data of one group. */
export class SpeculativeBatch {
  readonly #connection: PostgresConnection;
  readonly #rows: RowNumbers;
  #starting: Promise<void> | undefined;
  // ── Statements without a waiting caller ──
  #open = 0;
  #failure: unknown;
  #isOtherwise = false;
  #whenQuiet: (() => void) | undefined;
  // ── The log ──
  #events: AppendedEvent[] = [];
  /** The number of the last event, including unsent ones. Undefined until the log is locked. */
  #last: number | undefined;
  /** The last number that the server has. */
  #sentLast: number | undefined;
  // ── When data was changed ──
  #now = 0;
  #allSentAt = -1;
  /**
   * When data was last changed, by its kind. A key with a row is for one record, a key with `*` for
   * all of the kind, and a key alone for any of it.
   */
  readonly #changedAt = new Map<string, number>();

  /** @param started resolves when the transaction has started and numbers are reserved */
  constructor(connection: PostgresConnection, rows: RowNumbers, started: Promise<void>) {
    this.#connection = connection;
    this.#rows = rows;
    this.#starting = started.then(() => {
      this.#starting = undefined;
    });
    // The start of the transaction reports the error.
    this.#starting.catch(() => {});
  }

  /** Sends a change without awaiting its result. */
  send(bound: BoundStatement): void {
    const { statement, values, expected, about } = bound;
    this.note(about);
    this.#sent(this.#connection.execute({ statement, values, kind: "all" }), expected?.changes);
  }

  /**
   * Awaits all results. Returns whether all equal their predictions.
   * @throws errors that end the whole transaction
   */
  async awaitResults(): Promise<boolean> {
    if (this.#open > 0) {
      const quiet = Promise.withResolvers<void>();
      this.#whenQuiet = quiet.resolve;
      await quiet.promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return !this.#isOtherwise;
  }

  /** The first error of a statement that no caller awaits. */
  get failure(): unknown {
    return this.#failure;
  }

  // ── Rows ──

  /**
   * Resolves when the transaction has started; undefined if it has already.
   * @throws the error of its start
   */
  get started(): Awaitable<void> {
    return this.#starting;
  }

  /** Takes a number for a new row; undefined if none is reserved. */
  takeRow(resource: string): number | undefined {
    return this.#rows.take(resource);
  }

  reserveRows(resource: string): Promise<void> {
    return this.#rows.reserveMore(this.#connection, resource);
  }

  // ── The log ──

  get isLogLocked(): boolean {
    return this.#last !== undefined;
  }

  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Locks the log. From here on, the numbers of events are known. */
  async lockLog(): Promise<void> {
    const { rows } = await this.#connection.execute({
      statement: logStatements.lock,
      values: [],
      kind: "all",
    });
    if (this.#last !== undefined) return;
    this.#sentLast = rows[0]?.[0] ?? 0;
    this.#last = this.#sentLast + this.#events.length;
  }

  /** The number of the last event, which is known under the lock. */
  get lastEvent(): number {
    invariant(this.#last !== undefined, "the log is locked");
    return this.#last;
  }

  append(events: readonly AppendedEvent[]): void {
    this.#events.push(...events);
    if (this.#last !== undefined) this.#last += events.length;
  }

  /** The state of the log, for a savepoint. */
  get log(): LogState {
    return { events: [...this.#events], last: this.#last };
  }

  /**
   * Restores the state after a rollback to a savepoint, which also releases a lock that was taken
   * since.
   */
  restoreLog({ events, last }: LogState): void {
    this.#events = [...events];
    this.#last = last;
    this.#sentLast = undefined;
  }

  /** Stores the unsent events in one statement. */
  flush(): void {
    const events = this.#events;
    if (events.length === 0 && this.#last === this.#sentLast) return;
    this.#events = [];
    const column = (read: (event: NewEvent) => SqlValue) => events.map(read);
    const values = [
      this.#last === undefined ? null : this.#last - events.length,
      column(({ id }) => id),
      column(({ type }) => type),
      column(({ time }) => time),
      column(({ resource }) => resource),
      column(({ row }) => row),
      column(({ subject }) => subject),
      column(({ payload }) => payload),
      column(({ record }) => record ?? null),
    ];
    this.#sentLast = this.#last;
    const sent = this.#connection.execute({ statement: logStatements.append, values, kind: "all" });
    const isNumbered = this.#last !== undefined;
    if (this.#last !== undefined) numberEvents(events, this.#last);
    const numbered = sent.then((answer) => {
      if (!isNumbered) numberEvents(events, answer.rows[0]?.[0] ?? 0);
      return answer;
    });
    this.#sent(numbered, undefined);
    this.#deliver(events);
  }

  #deliver(events: readonly AppendedEvent[]): void {
    const deliveries = events.flatMap(({ deliveries = [] }, at) =>
      deliveries.map((delivery) => [delivery, events.length - 1 - at] as const),
    );
    if (deliveries.length === 0) return;
    this.note(aboutDeliveries);
    const values = deliveryValues(deliveries);
    const sent = this.#connection.execute({ statement: insertDeliveries, values, kind: "all" });
    this.#sent(sent, deliveries.length);
  }

  // ── When data was changed ──

  get now(): number {
    return this.#now;
  }

  /** Records a change. An unknown change may have changed anything. */
  note(about: StatementSubject | undefined): void {
    this.#now += 1;
    if (!about) {
      this.#allSentAt = this.#now;
      return;
    }
    this.#changedAt.set(about.of, this.#now);
    this.#changedAt.set(`${about.of} ${about.row ?? "*"}`, this.#now);
  }

  /** Whether nothing that determines the result has changed since the query. */
  isStillValid({ resources, finds, row, at }: ReadSet): boolean {
    if (this.#allSentAt > at) return false;
    const changed = (key: string): boolean => (this.#changedAt.get(key) ?? -1) > at;
    return resources.every((resource) => {
      if (resource !== finds || row === undefined) return !changed(resource);
      return !changed(`${resource} ${row}`) && !changed(`${resource} *`);
    });
  }

  #sent(answer: Promise<StatementResult>, changes: number | undefined): void {
    this.#open += 1;
    const over = (): void => {
      this.#open -= 1;
      if (this.#open === 0) this.#whenQuiet?.();
    };
    answer.then(
      (given) => {
        if (changes !== undefined && given.changes !== changes) this.#isOtherwise = true;
        over();
      },
      (error) => {
        // A later statement of the failed transaction may report its error first.
        if (this.#failure === undefined || isBehindFailure(this.#failure)) this.#failure = error;
        over();
      },
    );
  }
}

/** Stores the numbers of events in their lists. */
function numberEvents(events: readonly AppendedEvent[], last: number): void {
  const first = last - events.length + 1;
  for (const [at, { numbers }] of events.entries()) numbers?.push(first + at);
}
