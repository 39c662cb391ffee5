/**
 * The store's interface for the engine: sessions that read, write and run prepared queries. No database name and no
 * SQL text occurs above this folder; a database's features are capabilities.
 * A `Query` is prepared once, when the service starts (`store.prepare…`), and runs many times. Everything may return
 * at once (embedded databases) or later (servers), so callers always `await`.
 */
import type { Node } from "../expressions/node.ts";
import type { Frame, RecordValue, Value } from "../expressions/value.ts";
import type { WireForm } from "../expressions/writing/wire.ts";
import type { Model } from "../model/model.ts";
import type { Awaitable } from "../support/awaitable.ts";
import type { CommittedDeliveries, Deliveries } from "./deliveries.ts";
import type { Shared } from "./shared.ts";

/** A prepared query. Opaque; valid only for the store that prepared it. */
export interface Query<T> {
  /** The statement, for logs and `--explain`. */
  readonly sql: string;
  /** Whether it may read all records, because no key and no index bounds it. */
  readonly ticks: boolean;
  /** Never set; distinguishes types by `T`. */
  readonly answers?: T;
}

/** Selects records. All conditions must hold for the candidate (`this`); null counts as false. */
export interface RecordsQuery {
  readonly resource: string;
  readonly where: readonly Node[];
  /**
   * Ties are ordered by creation, in the direction of the last key. Nulls come last ascending,
   * first descending.
   */
  readonly order: readonly { readonly by: Node; readonly descending: boolean }[];
  /** Without a direction on any key: newest first. */
  readonly newestFirst?: boolean;
  /** Read from `frame.page`'s `limit` and `offset` (numbers) when the query runs. */
  readonly limited?: boolean;
  /** The maximum of `frame.page.limit`. */
  readonly limitMax?: number;
  /** Whether `frame.page.offset` may skip any number of records, as numbered pages do. */
  readonly skips?: boolean;
  /**
   * Only records after (`after`) or before (`before`) the position of `frame.cursor`: the values
   * of the order's keys, then the `#row`. `before` returns the nearest ones first (in reverse
   * order).
   */
  readonly seek?: "after" | "before";
  /** Includes records marked as deleted (`Deleted: marked`). */
  readonly includesDeleted?: boolean;
  /** Requests compose the conditions or the order, so that there may be any number of such queries. */
  readonly isComposed?: boolean;
  /** Also returns the values to seek by (the keys of the order, then `#row`) in `ShapedRow.cursor`. */
  readonly withCursor?: boolean;
}

/** The number of selected records; a `limited` count stops at `frame.page.limit`. */
export type CountQuery = Pick<
  RecordsQuery,
  "resource" | "where" | "includesDeleted" | "limited" | "isComposed"
>;

/** The JSON form of values. */
export type { WireForm };

/** One record, serialized in its shape. */
export interface ShapedRow {
  readonly json: string;
  readonly revision: number;
  readonly row: number;
  readonly cursor?: readonly Value[];
}

/** The number of records with one value of a field. */
export interface ValueCount {
  readonly value: Value;
  readonly count: number;
}

/**
 * A query session. Outside of a transaction it sees committed data; inside, also the transaction's
 * own changes.
 */
export interface Session {
  /** The records, decoded, in order. */
  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]>;
  /** The first record, or null. */
  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null>;
  count(query: Query<number>, frame: Frame): Awaitable<number>;
  /** The number of records for each occurring value of a field. */
  counts(query: Query<ValueCount>, frame: Frame): Awaitable<readonly ValueCount[]>;
  /** The records as JSON texts in a shape, in order. */
  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]>;
  /** The JSON text of an expression that reads stored data. */
  json(query: Query<string>, frame: Frame): Awaitable<string>;
  /** The value of an expression that reads stored data. */
  value(query: Query<Value>, frame: Frame): Awaitable<Value>;
}

/** The changes of one write: all of them are stored, or none. */
export interface Transaction extends Session {
  /**
   * Stores a new record (stored fields by name, in their runtime form). Returns the record with
   * `#row` and `#revision` 1.
   * @throws Conflict
   */
  insert(resource: string, fields: Readonly<Record<string, Value>>): Awaitable<RecordValue>;
  /** Changes some fields and increments the revision. Returns the record. @throws Conflict */
  update(
    resource: string,
    record: RecordValue,
    changes: Readonly<Record<string, Value>>,
  ): Awaitable<RecordValue>;
  /**
   * Deletes the record, or marks it as deleted, and applies `on delete` to records that refer to
   * it. Returns all records that were deleted with it or changed. Throws `Conflict` of kind `in
   * use`.
   */
  delete(resource: string, record: RecordValue): Awaitable<readonly DeletedRecord[]>;
  /**
   * Like `delete`, but leaves no marked records.
   * @param restricted what happens to records that refer to it under `restrict`
   */
  erase(resource: string, record: RecordValue, restricted: Restricted): Awaitable<readonly DeletedRecord[]>;
  /**
   * The next number of a sequence: 1, 2, 3 … It is named by `name` and `within` (an identifier, or
   * ""). Never reused.
   */
  next(name: string, within: string): Awaitable<number>;
  /** Records that a number was assigned by hand, so that `next` continues after it. */
  advancePast(name: string, within: string, value: number): Awaitable<void>;
  /** Runs `work` in a savepoint: if it throws, its changes are rolled back. */
  part<T>(work: () => Awaitable<T>): Promise<T>;
  readonly system: SystemTables;
}

/** The treatment of records that refer to an erased record under `restrict`. */
export type Restricted = "restrict" | "clear" | "cascade";

/** Traces of deleted records that the engine's own rows may still contain. */
export interface Traces {
  /** The records whose events lose their content. */
  readonly deleted: readonly LoggedRecord[];
  /** The records that referred to them. Their events lose their content if they contain one of `texts`. */
  readonly cleared: readonly LoggedRecord[];
  /** JSON texts that only these records have, so an event with one of them is about them. */
  readonly identifying: readonly string[];
  /** All their JSON texts. */
  readonly texts: readonly string[];
}

export interface ErasedTraces {
  readonly events: number;
  readonly deliveries: number;
  /** The number of stored responses of idempotent requests. */
  readonly answers: number;
}

export interface DeletedRecord {
  readonly resource: string;
  readonly before: RecordValue;
  /** Its current state; null once it is deleted. */
  readonly after: RecordValue | null;
  /** Whether it was deleted or marked; otherwise only a reference in it was cleared. */
  readonly deleted: boolean;
}

export const keyLimits = {
  /**
   * The maximum length of a key over all identifying fields, in bytes of UTF-8, so that indexes can
   * hold it.
   */
  bytesMax: 1_024,
} as const;

/** A constraint of the store that a change would violate. The change has not been made. */
export class Conflict extends Error {
  override name = "Conflict";
  readonly kind: "duplicate" | "in use" | "unknown reference" | "too long" | "unreachable";
  readonly resource: string;
  /** The fields that are unique together or identify, or the reference that prevents the change. */
  readonly fields: readonly string[];
  constructor(kind: Conflict["kind"], resource: string, fields: readonly string[]) {
    super(`${kind} of ${resource}: ${fields.join(", ")}`);
    this.kind = kind;
    this.resource = resource;
    this.fields = fields;
  }
}

/** The engine's own rows. Times are milliseconds since 1970. */
export interface SystemTables {
  /** The stored response of an idempotent request, or null. */
  idempotent(scope: string, key: string, now: number): Awaitable<KeptAnswer | null>;
  keepAnswer(scope: string, key: string, answer: KeptAnswer): Awaitable<void>;
  /** Appends events to the log. Returns a list that has their sequences when the write is stored. */
  appendEvents(events: readonly NewEvent[]): readonly number[];
  /** The sequence number that the next event will have. */
  nextSequence(): Awaitable<number>;
  /** Sets the due time of a record's timed transition; null removes it. */
  setTimer(timer: Timer, dueAt: number | null): Awaitable<void>;
  /** Removes all timers of a record. */
  clearTimers(resource: string, row: number): Awaitable<void>;
  /** The timers due at `now`, earliest first, optionally only of a `resource` and a `row`. */
  dueTimers(now: number, limit: number, resource?: string, row?: number): Awaitable<readonly DueTimer[]>;
  /** Postpones a failed timed transition, and stores the number of its failures. */
  postponeTimer(timer: Timer, dueAt: number, failures: number): Awaitable<void>;
  /**
   * Holds a timed transition whose guard was false: not due again until `wakeTimers` reports a
   * change of its record.
   */
  holdTimer(timer: Timer): Awaitable<void>;
  /** Makes the held timers of a record due again at their times, but not before `now`. Returns their number. */
  wakeTimers(resource: string, row: number, now: number): Awaitable<number>;
  /** Like `wakeTimers`, for all records of a resource. */
  wakeAllTimers(resource: string, now: number): Awaitable<void>;
  /** Replaces the content about deleted records with `{"erased":true}`, and deletes their open deliveries. */
  blank(traces: Traces): Awaitable<ErasedTraces>;
  /** Small settings by name, such as the engine's keys, and marks of applied seeds. */
  setting(name: string): Awaitable<string | null>;
  setSetting(name: string, value: string): Awaitable<void>;
  /** The content, and the receiver. */
  readonly deliveries: Deliveries;
}

/** Queries of the engine's own rows that need no transaction. */
export interface CommittedSystem extends Pick<SystemTables, "setting" | "dueTimers" | "idempotent"> {
  /** Whether a timed transition may be due, as known without a query. Each request calls it. */
  mayBeDue(now: number): boolean;
  /** When the next timed transition is due; null if there is none. */
  nextDue(): Awaitable<number | null>;
  /** The number of due timed transitions, at most `most`. */
  countDue(now: number, most: number): Awaitable<number>;
  /** The event log, oldest first. */
  events(): Awaitable<readonly LoggedEvent[]>;
  /**
   * Up to `limit` events with a greater sequence, oldest first. A reader never misses an event. If
   * transactions commit out of order, the store returns only events that no later commit can
   * precede.
   */
  eventsAfter(sequence: number, limit: number): Awaitable<readonly LoggedEvent[]>;
  /** The log without payloads, newest first, at most `limit`. Continue with `before: last.sequence`. */
  log(filter: LogFilter, limit: number): Awaitable<readonly LogEntry[]>;
  /**
   * Like `log`, for the events about one record in a range of sequences. The whole range is scanned
   * at once, so the caller keeps it short.
   */
  logOfRecord(of: LoggedRecord, stretch: LogRange, limit: number): Awaitable<readonly LogEntry[]>;
  /** One event by its identifier, or null. */
  eventOf(id: string): Awaitable<LoggedEvent | null>;
  /** The ends of the log: the sequences of its oldest event and of the last one ever stored (0 before any). */
  logSpan(): Awaitable<LogEnds>;
  readonly deliveries: CommittedDeliveries;
}

/** All given conditions must hold. */
export interface LogFilter {
  readonly type?: string;
  readonly resource?: string;
  /** The subject's identifier as text. */
  readonly subject?: string;
  /** Happened at this time or later, in milliseconds. */
  readonly from?: number;
  /** Happened before this time. */
  readonly until?: number;
  /** Only events with a smaller sequence. */
  readonly before?: number;
}

export interface LoggedRecord {
  readonly resource: string;
  readonly row: number;
}

/** Sequences of the log, without either end. */
export interface LogRange {
  readonly after: number;
  readonly before: number;
}

/** An event without its payload, which may be long. */
export type LogEntry = Omit<LoggedEvent, "payload" | "record">;

export interface LogEnds {
  /** Null if nothing is stored. */
  readonly first: number | null;
  readonly last: number;
}

export interface LoggedEvent extends NewEvent {
  readonly sequence: number;
}

export interface KeptAnswer {
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the body's bytes, base64url; followed by the version, if the service has several. */
  readonly bodyHash: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** When it is forgotten. */
  readonly until: number;
}

export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly resource: string;
  readonly row: number;
  /** The subject's identifier as text. */
  readonly subject: string;
  /** The payload, written as JSON. */
  readonly payload: string;
  /**
   * The fields of the record that a reader of the log needs, as JSON, with their values after the
   * event. Null if there are none.
   */
  readonly record?: string | null;
}

export interface Timer {
  readonly resource: string;
  readonly row: number;
  readonly transition: string;
  /** The index among the transition's ends. */
  readonly end: number;
}

export interface DueTimer extends Timer {
  readonly dueAt: number;
  readonly failures: number;
}

/** The status of a store, for its operator. */
export interface StoreStatus {
  /** Its kind, in a word. */
  readonly kind: string;
  /** Its path or address; null for a store in memory. */
  readonly path: string | null;
  /** Its size, without the log. */
  readonly bytes: number;
  /** The size of the log: changes that are durable, but not yet in the file. */
  readonly logBytes: number;
  /** The free space for it; null if unknown. */
  readonly freeBytes: number | null;
  /** Why the next change would not be stored, as far as is known; null if nothing prevents it. */
  readonly obstacle: string | null;
  /**
   * Whether it accepts reads and writes, which otherwise fail with `StoreUnavailable`: `draining`
   * during a migration to another document, `superseded` after it.
   */
  readonly servingState: "serving" | "draining" | "superseded";
}

/**
 * A store's whole content at one moment, in memory. Opaque; a store can be opened with it
 * (`StoreOptions.begins`).
 */
export interface StoreSnapshot {
  /** Its memory in bytes. */
  readonly bytes: number;
}

export interface Commit {
  readonly hasEvents: boolean;
  /** The `#row`s of changed records by resource, or null for many. It may have unchanged records. */
  readonly changed: ReadonlyMap<string, ReadonlySet<number> | null>;
  /** Milliseconds from the end of its writes until it was durable; absent for commits of other instances. */
  readonly tookMs?: number;
}

/**
 * How a store may run the work of a write. Work that is rolled back may run again from its start: in an embedded
 * database because another write of its group failed, on a server because two transactions conflicted. The store
 * keeps nothing of it; effects elsewhere remain. Repeatable work therefore keeps its state in local variables and its
 * result, and calls no other service.
 */
export interface WriteOptions {
  /** Whether it may be repeated. By default it runs once, and is stored or rejected with its result. */
  readonly repeatable?: boolean;
  /**
   * Whether it may wait for something other than the store. Where the store can run it
   * concurrently, it doesn't delay other writes; if it conflicts with one of them, it is rejected.
   */
  readonly mayWait?: boolean;
  /** Whether it has no time limit, because the operator requested that. Reads can run in between. */
  readonly isUnlimited?: boolean;
}

export interface Store {
  prepareRecords(query: RecordsQuery): Query<RecordValue>;
  prepareCount(query: CountQuery): Query<number>;
  /** The number of records for each value of a field, in one statement for any number of values. */
  prepareCounts(resource: string, field: string): Query<ValueCount>;
  /** Records in a shape: `item` is evaluated on each as `this`. */
  prepareShaped(query: RecordsQuery, item: Node, wire: WireForm): Query<ShapedRow>;
  prepareValue(node: Node): Query<Value>;
  /**
   * An expression (of request names and stored data) serialized as JSON, like the `item` of
   * `prepareShaped`.
   */
  prepareJson(node: Node, wire: WireForm): Query<string>;
  /** Reads committed data. */
  readonly session: Session & { readonly system: CommittedSystem };
  /**
   * Reads data that may be slightly out of date, if the operator allows that. No decision may
   * depend on it. A capability.
   */
  readonly lagging?: Session;
  /**
   * Runs `work` in a transaction, after the writes before it, as if nothing else ran. Resolves when the change is
   * durable. If `work` throws, nothing is stored and the caller receives the error unchanged. Each run of the work
   * has its own transaction; the promise resolves with the result of the last run.
   */
  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T>;
  /**
   * Calls back after each commit that changed something, also of other instances that share the
   * database. Returns a function that unsubscribes. The call only wakes listeners: the state is in
   * the tables.
   */
  onCommit(listener: (commit: Commit) => void): () => void;
  /**
   * Checks whether the store could be opened for another model. Changes nothing.
   * @throws StoreRefused | StoreMismatch as opening it would
   */
  fits(model: Model, options: { readonly path: string; readonly losesData: boolean }): Promise<void>;
  /** The state that instances share besides records. A capability of stores that several processes may open. */
  readonly shared?: Shared;
  /** The status, read from the file system without any query. */
  status(): StoreStatus;
  /** True if no resource has a record. */
  isEmpty(): Awaitable<boolean>;
  /** A consistent snapshot of all committed data, while the store stays in use. A capability. */
  snapshot?(): Promise<StoreSnapshot>;
  /**
   * Rewrites the store without unused content, so that deleted data is unreadable. Returns whether
   * its log is without it too, which an active reader may prevent. A capability.
   */
  scrub?(): Promise<boolean>;
  close(): Promise<void>;
}
