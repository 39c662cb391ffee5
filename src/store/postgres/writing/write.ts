/**
 * Write: runs one write of a PostgreSQL store on its connection. `../../group-commit.ts` schedules
 * writes.
 *
 * In a speculative group, a write buffers its changes until it has the lock and reads something, or
 * is finished. They are then sent without waiting for results (`speculative-batch.ts`). In another
 * group, and in parts with a savepoint, each statement is awaited. A finished write adds its events
 * to those of the group.
 */
import { type Awaitable, after } from "../../../support/awaitable.ts";
import type { WriteSlot } from "../../write-slot.ts";
import type { OwnQuery } from "../../rows/session.ts";
import {
  type StatementSubject,
  type StatementResult,
  type BoundStatement,
  isChange,
  type Row,
  runLater,
  type Statement,
  type Steps,
} from "../../rows/steps.ts";
import type { RunningWrite } from "../../rows/transaction.ts";
import type { NewDelivery } from "../../deliveries.ts";
import type { NewEvent } from "../../store.ts";
import { asReadFailure, isBehindFailure } from "../connection/failures.ts";
import type { PostgresGroupTransaction } from "./group-transaction.ts";
import type { AppendedEvent, ReadSet, SpeculativeBatch } from "./speculative-batch.ts";
import { postgresStatements, type PostgresTables } from "./transaction.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

export interface WriteParts {
  readonly group: PostgresGroupTransaction;
  readonly slot: WriteSlot;
  readonly tables: PostgresTables;
  readonly statementMs: number;
  /** Whether a statement may fail and the write continue, because a handler can catch any error. */
  readonly isCautious: boolean;
}

export class PostgresWrite implements RunningWrite {
  readonly #group: PostgresGroupTransaction;
  readonly #slot: WriteSlot;
  readonly #tables: PostgresTables;
  readonly #statementMs: number;
  readonly #isCautious: boolean;
  /** Buffered changes, which are sent when the write has the lock. */
  #kept: (() => void)[] = [];
  #events: AppendedEvent[] = [];
  /**
   * The number of open parts. In a part, each statement is awaited, and the database numbers new
   * rows.
   */
  #parts = 0;
  /** The first error, after which nothing more was done. */
  #failure: unknown;

  constructor({ group, slot, tables, statementMs, isCautious }: WriteParts) {
    this.#group = group;
    this.#slot = slot;
    this.#tables = tables;
    this.#statementMs = statementMs;
    this.#isCautious = isCautious;
    slot.atEnd(() => this.#end());
  }

  /** Declares that the write may wait for something besides the database. */
  async mayWait(): Promise<void> {
    await this.#slot.beforeRead();
    await this.#trying(() => this.#group.mayWait());
  }

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: StatementResult<R>) => T): Awaitable<T> {
    return after(this.#answer(bound), read);
  }

  run<T>(steps: Steps<T>): Awaitable<T> {
    const work = () => runLater(steps, (bound) => this.#answer(bound));
    return this.#isCautious ? this.#inSavepoint("steps", work) : work();
  }

  recordRead(isStillValid: () => boolean): void {
    this.#slot.recordRead(isStillValid);
  }

  append(events: readonly NewEvent[]): readonly number[] {
    this.#slot.check();
    const numbers: number[] = [];
    for (const event of events) this.#events.push({ ...event, numbers });
    return numbers;
  }

  attach(deliveries: readonly NewDelivery[]): boolean {
    const events = [...this.#events];
    for (const delivery of deliveries) {
      const { event } = delivery;
      if (typeof event === "number") return false;
      const first = events.findIndex(({ numbers }) => numbers === event.sequences);
      const found = first < 0 ? undefined : events[first + event.at];
      if (!found) return false;
      events[first + event.at] = { ...found, deliveries: [...(found.deliveries ?? []), delivery] };
    }
    this.#slot.check();
    // A new list, because a savepoint may have kept the former one.
    this.#events = events;
    return true;
  }

  lastAppended(): Awaitable<number> {
    return after(this.#logLocked(), () => this.#speculative.lastEvent + this.#events.length);
  }

  queryRows(query: OwnQuery<unknown>, values: () => SqlValue[]): Awaitable<readonly Row[]> {
    const send = () => this.#trying(() => this.#group.connection.queryRows(query, values()));
    if (!this.#isSpeculative) return after(after(this.#slot.beforeRead(), send), rowsOf);
    this.#slot.check();
    if (this.#kept.length > 0) return after(after(this.#awaitLock(), send), rowsOf);
    if (this.#slot.hasLock) return send().then(rowsOf);
    const finds = this.#tables.foundBy(query);
    const readSet = this.#seeing(this.#tables.resourcesOf(query), finds);
    return send().then(({ rows }) => {
      if (finds !== undefined && rows.length === 1) readSet.row = rows[0]?.[0] as number;
      return rows;
    });
  }

  async part<T>(depth: number, work: () => Awaitable<T>): Promise<T> {
    if (this.#isSpeculative) await this.#careful();
    this.#parts += 1;
    try {
      return await this.#inSavepoint(`part_${depth}`, work);
    } finally {
      this.#parts -= 1;
    }
  }

  get #isSpeculative(): boolean {
    return this.#slot.isSpeculative && this.#parts === 0;
  }

  get #speculative(): SpeculativeBatch {
    return this.#group.speculative;
  }

  async #inSavepoint<T>(name: string, work: () => Awaitable<T>): Promise<T> {
    await this.#slot.beforeChange();
    await this.#command(`SAVEPOINT ${name}`);
    const events = [...this.#events];
    const log = this.#speculative.log;
    try {
      const result = await work();
      this.#slot.check();
      return result;
    } catch (error) {
      // A finished write or a failed group is already rolled back.
      this.#slot.check();
      await this.#command(`ROLLBACK TO ${name}`);
      this.#events = events;
      this.#speculative.restoreLog(log);
      this.#failure = undefined;
      throw error;
    } finally {
      if (this.#slot.isRunning) await this.#command(`RELEASE ${name}`);
    }
  }

  async #command(sql: string): Promise<void> {
    await this.#trying(() => this.#group.connection.command(sql));
  }

  #answer<R extends Row>(bound: BoundStatement<R>): Awaitable<StatementResult<R>> {
    if (!this.#isSpeculative) return this.#awaited(bound);
    this.#slot.check();
    if (bound.expected) return this.#expected(bound);
    const { about } = bound;
    if (about && !isChange(bound) && this.#kept.length === 0 && !this.#slot.hasLock) {
      this.#seeing([about.row === undefined ? about.of : `${about.of} ${about.row}`]);
      return this.#trying(() => this.#group.connection.execute(bound));
    }
    return after(this.#withEvents(bound.statement), () => {
      if (isChange(bound)) this.#changes(bound.statement.isOwn ? ownRows : about);
      return this.#trying(() => this.#group.connection.execute(bound));
    });
  }

  async #awaited<R extends Row>(bound: BoundStatement<R>): Promise<StatementResult<R>> {
    await (isChange(bound) ? this.#slot.beforeChange() : this.#slot.beforeRead());
    await this.#withEvents(bound.statement);
    if (this.#parts > 0 && isChange(bound))
      this.#speculative.note(bound.statement.isOwn ? (bound.about ?? ownRows) : bound.about);
    return this.#trying(() => this.#group.connection.execute(bound));
  }

  /** Buffers a change, and returns its expected result. */
  #expected<R extends Row>(bound: BoundStatement<R>): Awaitable<StatementResult<R>> {
    const { expected, about, values } = bound;
    const { numbered } = expected ?? {};
    if (!numbered || !about) return this.#keep(bound, 0);
    const { started } = this.#speculative;
    if (started instanceof Promise) return started.then(() => this.#expected(bound));
    const row = this.#speculative.takeRow(about.of);
    if (row === undefined)
      return this.#trying(() => this.#speculative.reserveRows(about.of)).then(() => this.#expected(bound));
    return this.#keep(
      { ...bound, statement: numbered, values: [...values, row], about: { of: about.of, row } },
      row,
    );
  }

  #keep(bound: BoundStatement, lastRow: number): StatementResult<never> {
    this.#slot.hasExpected = true;
    this.#kept.push(() => {
      this.#slot.hasChanged = true;
      this.#speculative.send(bound);
    });
    return { rows: [], changes: bound.expected?.changes ?? 0, lastRow };
  }

  #changes(about: StatementSubject | undefined): void {
    this.#slot.hasChanged = true;
    this.#speculative.note(about);
  }

  /**
   * Waits for the lock, which means that all earlier writes are finished, and sends the write's own
   * changes.
   */
  #awaitLock(): Awaitable<void> {
    return after(this.#slot.locked(), () => {
      this.#slot.check();
      this.#send();
    });
  }

  /** Stops speculating: from here on, the result of each statement is awaited. */
  async #careful(): Promise<void> {
    await this.#awaitLock();
    if (await this.#group.awaitResults()) return;
    this.#slot.failed(new Error("a result differed from its prediction"));
    this.#slot.check();
    throw new Error("the group is done again");
  }

  /** Locks the event log, after all earlier writes are finished. */
  #logLocked(): Awaitable<void> {
    return after(this.#awaitLock(), () => {
      if (!this.#speculative.isLogLocked) return this.#trying(() => this.#group.lockLog());
    });
  }

  /**
   * Waits for the lock. If the statement reads the event log, all events so far are stored first.
   */
  #withEvents(statement: Statement): Awaitable<void> {
    const inTurn = this.#awaitLock();
    if (!readsLog(statement)) return inTurn;
    return after(inTurn, () => {
      if (this.#events.length === 0 && !this.#speculative.hasEvents) return;
      return after(this.#logLocked(), () => {
        this.#endEvents();
        this.#speculative.flush();
      });
    });
  }

  #end(): void {
    this.#send();
    this.#endEvents();
  }

  #endEvents(): void {
    if (this.#events.length === 0) return;
    this.#slot.hasChanged = true;
    this.#speculative.append(this.#events);
    this.#events = [];
  }

  #send(): void {
    const kept = this.#kept;
    if (kept.length === 0) return;
    this.#kept = [];
    for (const send of kept) send();
  }

  #seeing(resources: readonly string[], finds?: string): ReadSet {
    const speculative = this.#speculative;
    const readSet: ReadSet = { resources, at: speculative.now, ...(finds !== undefined && { finds }) };
    this.#slot.recordRead(() => speculative.isStillValid(readSet));
    return readSet;
  }

  /**
   * Runs a statement, and records its error. After a failed statement, all others fail with an
   * uninformative error.
   */
  async #trying<T>(execute: () => Promise<T>): Promise<T> {
    try {
      return await execute();
    } catch (error) {
      if (isBehindFailure(error) && this.#failure !== undefined) throw this.#failure;
      const unseen = isBehindFailure(error) ? this.#speculative.failure : undefined;
      const failure = unseen !== undefined && this.#group.isConflict(unseen) ? unseen : error;
      if (isBehindFailure(failure)) this.#slot.failedUnseen();
      this.#failure ??= failure;
      this.#slot.failed(failure, this.#parts > 0);
      throw asReadFailure(failure, this.#statementMs);
    }
  }
}

/** Rows of the engine's own tables. No query reads them before the write has the lock. */
const ownRows: StatementSubject = { of: "ninefold" };

const logReaders = new WeakMap<Statement, boolean>();

/**
 * Whether a statement reads events, or deliveries of the same group. The result of an attempt reads
 * neither: its delivery is committed, and newer deliveries make their receiver due themselves.
 */
function readsLog(statement: Statement): boolean {
  let reads = logReaders.get(statement);
  if (reads === undefined) {
    reads = statement.sql.includes("ninefold_events") || statement === postgresStatements.deliveries.isQueued;
    logReaders.set(statement, reads);
  }
  return reads;
}

function rowsOf({ rows }: StatementResult): readonly Row[] {
  return rows;
}
