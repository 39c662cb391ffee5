/** Reads of what is committed: on the writing connection where nothing is being written, else on another one, or on another thread. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { CommittedDeliveries } from "../deliveries.ts";
import type { DueTimer, Query, Session, ShapedRow, Store, ValueCount } from "../store.ts";
import { type Browsing, createStatements } from "./browsing.ts";
import type { Connection, Row } from "./connection.ts";
import { countDeliveries, DeliveryReader, listDeliveries, listReceivers } from "./deliveries.ts";
import type { GroupCommit } from "./group-commit.ts";
import { eventOf, listLog, logOfRecord } from "./log.ts";
import type { OpenFile } from "./open-file.ts";
import type { PatientReads } from "./reading/patient-reads.ts";
import { ownQuery, QuerySession, sessionOfRows } from "./session.ts";
import { SystemReader, type SystemState } from "./system.ts";

/** A connection that sees what is committed. */
interface Reader {
  readonly connection: Connection;
  readonly queries: QuerySession;
}

/**
 * Reads what is committed. While no transaction is open, that is what the writing connection sees, whose cache is warm. While
 * one is, which a request only meets when a write waits for something real, another connection reads; in memory there is none,
 * and the read waits.
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
    this.#first = { connection: file.connection, queries: new QuerySession(file.connection) };
    const reading = <T>(read: (system: SystemReader) => T): Awaitable<T> =>
      this.reading((connection) => read(new SystemReader(connection, state)));
    this.system = {
      setting: (name) => this.reading((connection) => new SystemReader(connection, state).setting(name)),
      nextDue: () => this.#between(() => new SystemReader(file.connection, state).learnNextDue()),
      events: () => reading((system) => system.events()),
      eventsAfter: (sequence, limit) => reading((system) => system.eventsAfter(sequence, limit)),
      log: (filter, limit) => this.#browsing(listLog(filter, limit)),
      logOfRecord: (of, stretch, limit) =>
        this.reading((connection) => logOfRecord(connection, of, stretch, limit)),
      eventOf: (id) => this.reading((connection) => eventOf(connection, id)),
      logSpan: () => reading((system) => system.logSpan()),
      deliveries: this.#deliveries(),
      dueTimers: (now, limit, resource, row): Awaitable<readonly DueTimer[]> =>
        state.mayBeDue(now, resource) ? reading((system) => system.dueTimers(now, limit, resource, row)) : [],
    };
  }

  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]> {
    return this.#asking(query, frame, false, (queries) => queries.records(query, frame));
  }

  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null> {
    return this.#asking(query, frame, true, (queries) => queries.record(query, frame));
  }

  count(query: Query<number>, frame: Frame): Awaitable<number> {
    return this.#asking(query, frame, true, (queries) => queries.count(query, frame));
  }

  counts(query: Query<ValueCount>, frame: Frame): Awaitable<readonly ValueCount[]> {
    return this.#asking(query, frame, false, (queries) => queries.counts(query, frame));
  }

  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]> {
    return this.#asking(query, frame, false, (queries) => queries.shaped(query, frame));
  }

  json(query: Query<string>, frame: Frame): Awaitable<string> {
    return this.#asking(query, frame, true, (queries) => queries.json(query, frame));
  }

  value(query: Query<Value>, frame: Frame): Awaitable<Value> {
    return this.#asking(query, frame, true, (queries) => queries.value(query, frame));
  }

  /** Runs a read that isn't a prepared query. */
  reading<T>(read: (connection: Connection) => T): Awaitable<T> {
    if (!this.#groups.isOpen) return read(this.#file.connection);
    const reader = this.#secondReader();
    return reader ? read(reader.connection) : this.#between(() => read(this.#file.connection));
  }

  close(): void {
    this.#reader?.connection.close();
  }

  /** @param first only the first row is wanted */
  #asking<T>(
    query: Query<unknown>,
    frame: Frame,
    first: boolean,
    ask: (queries: QuerySession) => T,
  ): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (!reader) return this.#groups.betweenGroups().then(() => this.#asking(query, frame, first, ask));
    const here = () => {
      reader.connection.shareSnapshot();
      return ask(reader.queries);
    };
    const own = ownQuery(query);
    if (!own.ticks) return here();
    const answer = (rows: readonly Row[]) => ask(sessionOfRows(rows));
    return this.#patient.ask(own, () => own.bind(frame), first, here, answer);
  }

  #deliveries(): CommittedDeliveries {
    const reading = <T>(read: (deliveries: DeliveryReader) => T): Awaitable<T> =>
      this.reading((connection) => read(new DeliveryReader(connection)));
    return {
      dueReceivers: (now, isFailing, limit) => reading((all) => all.dueReceivers(now, isFailing, limit)),
      due: (receiver, now, limit) => reading((all) => all.due(receiver, now, limit)),
      nextDue: (now) => reading((all) => all.nextDue(now)),
      list: (filter, limit) => this.#browsing(listDeliveries(filter, limit)),
      count: (filter, most) => this.#browsing(countDeliveries(filter, most)),
      attempts: (number) => reading((all) => all.attempts(number)),
      receivers: (filter, limit) => this.#browsing(listReceivers(filter, limit)),
      receiver: (receiver) => reading((all) => all.receiver(receiver)),
      disabled: () => reading((all) => all.disabled()),
    };
  }

  /** Goes through the engine's own tables for whoever looks them over: may be long, and then goes to another thread. */
  #browsing<T>(browse: Browsing<T>): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (!reader) return this.#groups.betweenGroups().then(() => this.#browsing(browse));
    const { connection } = reader;
    const { text, values, read } = browse(connection);
    const here = () => read(connection.statement(text).all(values));
    return this.#patient.ask(this.#statements(text), () => values, false, here, read);
  }

  /** Now, or as soon as no transaction is open. */
  #between<T>(read: () => T): Awaitable<T> {
    return this.#groups.isOpen ? this.#groups.betweenGroups().then(() => this.#between(read)) : read();
  }

  #secondReader(): Reader | undefined {
    if (!this.#reader && this.#file.openReader) {
      const connection = this.#file.openReader();
      this.#reader = { connection, queries: new QuerySession(connection) };
    }
    return this.#reader;
  }
}
