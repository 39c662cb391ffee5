/**
 * Speculative batch: sends the statements of a write group without awaiting results. Row and event numbers are
 * assigned in advance, and results are predicted. The group holds the write lock, so no other instance writes
 * meanwhile. Before the commit, `settle` compares the predictions with the results; after a difference the group runs
 * again with every statement awaited.
 * It also tracks which data changed when, for writes that read before they had the lock.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import type { NewEvent } from "../store.ts";
import { type About, type Answer, type BoundStatement, type Statement, statement } from "../rows/steps.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { PostgresConnection } from "./connection.ts";
import { postgresRowDialect } from "./row-dialect.ts";
import { quotedText } from "../sql/fragment.ts";

const statements = {
  append: {
    sql: `INSERT INTO ninefold_events (sequence, id, type, time, resource, row, subject, payload, record)
      SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[])`,
  },
  setLast: { sql: "UPDATE ninefold_log SET last = ?" },
  // Rows may have been inserted by hand, and have been assigned numbers meanwhile.
  advancePast: {
    sql: "SELECT setval(?::oid::regclass, greatest(?::bigint, pg_sequence_last_value(?::oid)))",
  },
};

/** Of the log, and of each known sequence: null for one without a number yet. */
export type LastNumbers = readonly [log?: number, ...tables: (number | null)[]];

/** The sequence of a table's row numbers, by resource: known after the first insert. */
export class Sequences {
  readonly #oids = new Map<string, number>();
  #statement: Statement<LastNumbers> | undefined;
  #resources: readonly string[] = [];

  /** Queries the last number of the log and of each known sequence. */
  get statement(): Statement<LastNumbers> {
    this.#resources = [...this.#oids.keys()];
    const columns = [...this.#oids.values()].map((oid) => `, ${lastOf(String(oid))}`);
    this.#statement ??= { sql: `SELECT (${postgresRowDialect.lastSequence})${columns.join("")}` };
    return this.#statement;
  }

  get resources(): readonly string[] {
    return this.#resources;
  }

  oid(resource: string): number {
    return this.#oids.get(resource) as number;
  }

  async learn(connection: PostgresConnection, resource: string): Promise<number> {
    const table = quotedText(postgresRowDialect.table(resource));
    const sequence = `pg_get_serial_sequence(${table}, '#row')::regclass::oid`;
    const bound = statement<readonly [oid: string, last: number | null]>(
      `SELECT ${sequence}, ${lastOf(sequence)}`,
    );
    const [row] = (await connection.queryRows(bound, [])).rows;
    invariant(row, "a statement without a table gives one row");
    this.#oids.set(resource, Number(row[0]));
    this.#statement = undefined;
    return row[1] ?? 0;
  }
}

/** The last number of a sequence: null before the first, −1 if this user may not read or set it. */
function lastOf(sequence: string): string {
  const may = `has_sequence_privilege(${sequence}, 'SELECT') AND has_sequence_privilege(${sequence}, 'UPDATE')`;
  return `CASE WHEN ${may} THEN pg_sequence_last_value(${sequence}) ELSE -1 END`;
}

/** What a write has read before it had the lock. */
export interface ReadSet {
  readonly resources: readonly string[];
  /** For a query by the identifier of one resource: the row that was found, once known. */
  readonly finds?: string;
  row?: number;
  /** When the query ran. */
  readonly at: number;
}

export class SpeculativeBatch {
  readonly #connection: PostgresConnection;
  readonly #sequences: Sequences;
  /** The last row that was given a number, by resource; and those of which some were. */
  readonly #rows = new Map<string, number>();
  readonly #taken = new Set<string>();
  /** Resolves when the last numbers are known. */
  #learning: Promise<void> | undefined;
  #lastEvent = 0;
  #events: { readonly event: NewEvent; readonly sequence: number }[] = [];
  #open = 0;
  #isOtherwise = false;
  #failure: unknown;
  #whenQuiet: (() => void) | undefined;
  // ── When data was changed ──
  #now = 0;
  #everythingAt = -1;
  /** By what a change is about; with the row for one record, with a `*` for all of a kind, alone for any of it. */
  readonly #changedAt = new Map<string, number>();
  /** How often the predicted row numbers became unreliable. */
  #relearnt = 0;

  /** @param last the result of the sequences' statement, from the start of the transaction */
  constructor(connection: PostgresConnection, sequences: Sequences, last: Promise<LastNumbers>) {
    this.#connection = connection;
    this.#sequences = sequences;
    const { resources } = sequences;
    this.#learning = last.then((row) => {
      this.#learning = undefined;
      this.#learn(resources, row);
    });
    // The start of the transaction reports the error.
    this.#learning.catch(() => {});
  }

  /** Sends a change. */
  send(bound: BoundStatement): void {
    const { statement, values, expected, about } = bound;
    this.note(about);
    this.#sent(this.#connection.execute({ statement, values, kind: "all" }), expected?.changes);
  }

  /** Awaits all results. False: one differed from its prediction. @throws errors that end the whole transaction */
  async settle(): Promise<boolean> {
    this.flush();
    for (const resource of this.#taken) {
      const oid = this.#sequences.oid(resource);
      const values = [oid, this.#rows.get(resource) as number, oid];
      this.#sent(
        this.#connection.execute({ statement: statements.advancePast, values, kind: "all" }),
        undefined,
      );
    }
    this.#taken.clear();
    if (this.#open > 0) {
      const quiet = Promise.withResolvers<void>();
      this.#whenQuiet = quiet.resolve;
      await quiet.promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return !this.#isOtherwise;
  }

  /** The error of a statement without a waiting caller. */
  get failure(): unknown {
    return this.#failure;
  }

  // ── Rows ──

  /** Numbers can be assigned: at once, or when the transaction has started. @throws why it couldn't */
  get numbers(): Awaitable<void> {
    return this.#learning;
  }

  /** The number of a new row; undefined if the last number is unknown. */
  takeRow(resource: string): number | undefined {
    const last = this.#rows.get(resource);
    if (last === undefined || last < 0) return undefined;
    this.#rows.set(resource, last + 1);
    this.#taken.add(resource);
    return last + 1;
  }

  /** False if only the database can number rows. */
  givesRows(resource: string): boolean {
    return (this.#rows.get(resource) ?? 0) >= 0;
  }

  async learnRow(resource: string): Promise<void> {
    const last = await this.#sequences.learn(this.#connection, resource);
    // Another write may have read it meanwhile.
    if (!this.#rows.has(resource)) this.#rows.set(resource, last);
  }

  /** The database has assigned numbers to rows and events. */
  async relearn(): Promise<void> {
    const { rows } = await this.#connection.queryRows(this.#sequences.statement, []);
    this.#learn(this.#sequences.resources, rows[0] ?? []);
    this.#relearnt += 1;
  }

  #learn(resources: readonly string[], [lastEvent, ...lastRows]: LastNumbers): void {
    this.#lastEvent = lastEvent ?? 0;
    for (const [at, resource] of resources.entries()) this.#rows.set(resource, lastRows[at] ?? 0);
  }

  get relearnt(): number {
    return this.#relearnt;
  }

  // ── The log ──

  get lastEvent(): number {
    return this.#lastEvent;
  }

  append(events: readonly NewEvent[], numbers: number[]): void {
    for (const event of events) {
      this.#lastEvent += 1;
      numbers.push(this.#lastEvent);
      this.#events.push({ event, sequence: this.#lastEvent });
    }
  }

  /** Stores the events so far, in one statement. */
  flush(): void {
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    const column = (read: (event: NewEvent) => SqlValue) => events.map(({ event }) => read(event));
    const columns = [
      events.map(({ sequence }) => sequence),
      column(({ id }) => id),
      column(({ type }) => type),
      column(({ time }) => time),
      column(({ resource }) => resource),
      column(({ row }) => row),
      column(({ subject }) => subject),
      column(({ payload }) => payload),
      column(({ record }) => record ?? null),
    ];
    this.#sent(
      this.#connection.execute({ statement: statements.append, values: columns, kind: "all" }),
      events.length,
    );
    const last = { statement: statements.setLast, values: [this.#lastEvent], kind: "all" } as const;
    this.#sent(this.#connection.execute(last), 1);
  }

  // ── When data was changed ──

  get now(): number {
    return this.#now;
  }

  /** Records a change; an unknown one may have changed anything. */
  note(about: About | undefined): void {
    this.#now += 1;
    if (!about) {
      this.#everythingAt = this.#now;
      return;
    }
    this.#changedAt.set(about.of, this.#now);
    this.#changedAt.set(`${about.of} ${about.row ?? "*"}`, this.#now);
  }

  /** Nothing that determines the result has changed since the query. */
  isStillValid({ resources, finds, row, at }: ReadSet): boolean {
    if (this.#everythingAt > at) return false;
    const changed = (key: string): boolean => (this.#changedAt.get(key) ?? -1) > at;
    return resources.every((resource) => {
      if (resource !== finds || row === undefined) return !changed(resource);
      return !changed(`${resource} ${row}`) && !changed(`${resource} *`);
    });
  }

  #sent(answer: Promise<Answer>, changes: number | undefined): void {
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
        this.#failure ??= error;
        over();
      },
    );
  }
}
