/**
 * Committed session: reads of committed data in SQLite.
 *
 * A read uses the writing connection if no write is in progress, otherwise another connection, or a
 * thread.
 */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { CommittedDeliveries } from "../deliveries.ts";
import type { DueTimer, Query, Session, ShapedRow, Store, ValueCount } from "../store.ts";
import { createStatements } from "./browsing.ts";
import type { Browsing } from "../rows/browsing.ts";
import { countDeliveries, DeliveryReader, listDeliveries, listReceivers } from "../rows/deliveries.ts";
import { queryLogOfRecord, eventOf, listLog, logEntry } from "../rows/log.ts";
import { QuerySession, sessionOfRows } from "../rows/session.ts";
import type { Executor, Row } from "../rows/steps.ts";
import { SystemReader, type SystemState } from "../rows/system.ts";
import { executeStatement, ConnectionExecutor } from "./connection/executor.ts";
import type { Connection } from "./connection/connection.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { OpenFile } from "./file/open-file.ts";
import { ownQuery } from "./statements/queries.ts";
import type { PatientReads } from "./reading/patient-reads.ts";
import { sqliteStatements } from "./transaction.ts";
import { sqliteRowDialect } from "./statements/row-dialect.ts";

/** A connection that sees committed data. */
class Reader {
  readonly connection: Connection;
  readonly executor: ConnectionExecutor;
  readonly queries: QuerySession;

  constructor(connection: Connection) {
    this.connection = connection;
    this.executor = new ConnectionExecutor(connection);
    this.queries = new QuerySession(
      (query, values, first) =>
        executeStatement(connection, { statement: query, values: values(), kind: first ? "first" : "all" })
          .rows,
    );
  }
}

/**
 * Reads committed data. While no transaction is open, it uses the writing connection, whose cache
 * is warm. While a write awaits external work, its transaction is open, and another connection
 * reads. A database in memory has no other connection, so the read waits.
 */
export class CommittedSession implements Session {
  readonly system: Store["session"]["system"];
  readonly #patient: PatientReads;
  readonly #file: OpenFile;
  readonly #groups: GroupCommit;
  readonly #first: Reader;
  readonly #statements = createStatements();
  #reader: Reader | undefined;

  constructor(file: OpenFile, groups: GroupCommit, state: SystemState, patient: PatientReads) {
    this.#file = file;
    this.#patient = patient;
    this.#groups = groups;
    this.#first = new Reader(file.connection);
    const systemOf = (executor: Executor) => new SystemReader(executor, state, sqliteStatements);
    const reading = <T>(read: (system: SystemReader) => Awaitable<T>): Awaitable<T> =>
      this.#onceExecuted((executor) => read(systemOf(executor)));
    this.system = {
      setting: (name) => reading((system) => system.setting(name)),
      idempotent: (scope, key, now) => reading((system) => system.idempotent(scope, key, now)),
      countDue: (now, max) => (state.mayBeDue(now) ? reading((system) => system.countDue(now, max)) : 0),
      nextDue: () => this.#between(() => systemOf(this.#first.executor).learnNextDue()),
      events: () => reading((system) => system.events()),
      eventsAfter: (sequence, limit) => reading((system) => system.eventsAfter(sequence, limit)),
      log: (filter, limit) => this.#browsing(() => listLog(filter, limit, sqliteRowDialect)),
      logOfRecord: (of, stretch, limit) =>
        this.#onceExecuted((executor) =>
          executor.execute(queryLogOfRecord(sqliteStatements.log, of, stretch, limit), ({ rows }) =>
            rows.map(logEntry),
          ),
        ),
      eventOf: (id) => this.#onceExecuted((executor) => executor.run(eventOf(sqliteStatements.log, id))),
      logSpan: () => reading((system) => system.logSpan()),
      deliveries: this.#deliveries(),
      mayBeDue: (now) => state.mayBeDue(now),
      dueTimers: (now, limit, resource, row): Awaitable<readonly DueTimer[]> =>
        state.mayBeDue(now, resource) ? reading((system) => system.dueTimers(now, limit, resource, row)) : [],
    };
  }

  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]> {
    return this.#executor(query, frame, false, (queries) => queries.records(query, frame));
  }

  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null> {
    return this.#executor(query, frame, true, (queries) => queries.record(query, frame));
  }

  count(query: Query<number>, frame: Frame): Awaitable<number> {
    return this.#executor(query, frame, true, (queries) => queries.count(query, frame));
  }

  counts(query: Query<ValueCount>, frame: Frame): Awaitable<readonly ValueCount[]> {
    return this.#executor(query, frame, false, (queries) => queries.counts(query, frame));
  }

  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]> {
    return this.#executor(query, frame, false, (queries) => queries.shaped(query, frame));
  }

  json(query: Query<string>, frame: Frame): Awaitable<string> {
    return this.#executor(query, frame, true, (queries) => queries.json(query, frame));
  }

  value(query: Query<Value>, frame: Frame): Awaitable<Value> {
    return this.#executor(query, frame, true, (queries) => queries.value(query, frame));
  }

  /** Runs a read that isn't a prepared query. */
  reading<T>(read: (connection: Connection) => T): Awaitable<T> {
    return this.#onceExecuted((_, connection) => read(connection));
  }

  #onceExecuted<T>(read: (executor: Executor, connection: Connection) => Awaitable<T>): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (reader) return read(reader.executor, reader.connection);
    return this.#between(() => read(this.#first.executor, this.#first.connection));
  }

  close(): void {
    this.#reader?.connection.close();
  }

  /** @param first whether only the first row is needed */
  #executor<T>(
    query: Query<unknown>,
    frame: Frame,
    first: boolean,
    execute: (queries: QuerySession) => Awaitable<T>,
  ): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (!reader) return this.#groups.betweenGroups().then(() => this.#executor(query, frame, first, execute));
    const here = () => {
      reader.connection.shareSnapshot();
      return execute(reader.queries);
    };
    const own = ownQuery(query);
    if (!own.ticks) return here();
    const answer = (rows: readonly Row[]) => execute(sessionOfRows(rows));
    const again = () => this.#executor(query, frame, first, execute);
    return this.#patient.execute(own, () => own.bind(frame), first, here, again, answer);
  }

  #deliveries(): CommittedDeliveries {
    const reading = <T>(read: (deliveries: DeliveryReader) => Awaitable<T>): Awaitable<T> =>
      this.#onceExecuted((executor) => read(new DeliveryReader(executor, sqliteStatements)));
    return {
      dueReceivers: (now, isFailing, limit) => reading((all) => all.dueReceivers(now, isFailing, limit)),
      due: (receiver, now, limit) => reading((all) => all.due(receiver, now, limit)),
      nextDue: (now) => reading((all) => all.nextDue(now)),
      list: (filter, limit) =>
        this.#browsing((executor) => executor.run(listDeliveries(filter, limit, sqliteRowDialect))),
      count: (filter, max) =>
        this.#browsing((executor) => executor.run(countDeliveries(filter, max, sqliteRowDialect))),
      countOpen: (max) => reading((all) => all.countOpen(max)),
      attempts: (number) => reading((all) => all.attempts(number)),
      receivers: (filter, limit) => this.#browsing(() => listReceivers(filter, limit, sqliteRowDialect)),
      receiver: (receiver) => reading((all) => all.receiver(receiver)),
      disabled: () => reading((all) => all.disabled()),
    };
  }

  /** Browses the engine's own tables for the operator. A long query moves to another thread. */
  #browsing<T>(browse: (executor: ConnectionExecutor) => Browsing<T>): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (!reader) return this.#groups.betweenGroups().then(() => this.#browsing(browse));
    const { connection, executor } = reader;
    // Cursors are resolved with indexes before the statement is known.
    const { text, values, read } = browse(executor);
    const here = () => read(connection.statement(text).all(values));
    const again = () => this.#browsing(browse);
    return this.#patient.execute(this.#statements(text), () => [...values], false, here, again, read);
  }

  /** Reads at once, or as soon as no transaction is open. */
  #between<T>(read: () => Awaitable<T>): Awaitable<T> {
    return this.#groups.isOpen ? this.#groups.betweenGroups().then(() => this.#between(read)) : read();
  }

  #secondReader(): Reader | undefined {
    if (!this.#reader && this.#file.openReader) {
      this.#reader = new Reader(this.#file.openReader());
    }
    return this.#reader;
  }
}
