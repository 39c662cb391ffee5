/** The engine's own rows: idempotent answers, the event log, timers, settings, sequences. See `SystemTables` for what each means. */
import type { SQLInputValue } from "node:sqlite";
import type {
  Blanked,
  DueTimer,
  KeptAnswer,
  LoggedEvent,
  LogSpan,
  NewEvent,
  SystemTables,
  Timer,
  Traces,
} from "../store.ts";
import { boundLimit } from "./bound-limit.ts";
import type { Connection, Row, Statement } from "./connection.ts";
import { blankTraces } from "./traces.ts";
import { DeliveryWriter } from "./deliveries.ts";

/** Expired answers are taken away along with every so many kept ones, and at most so many at once. */
const cleaningEvery = 64;
const cleanedMax = 256;
/** Changed records of one resource that one commit tells apart. */
const notedRowsMax = 1000;

/** What all sessions of a store know of its timers and kept answers without asking the database. */
export class SystemState {
  /** By resource: no timer is due before. Changes only make it earlier; `SystemReader.learnNextDue` finds the true ones. */
  #earliestDue: Map<string, number> | undefined;
  /** The latest time that was asked about; what ended before it may be forgotten. */
  latestNow = 0;
  /** The open transaction has appended events; perhaps ones that were taken back again. */
  hasNewEvents = false;
  /** What the open transaction has changed; perhaps it was taken back again. See `Commit.changed`. */
  #changed = new Map<string, Set<number> | null>();

  noteChange(resource: string, row: number): void {
    const rows = this.#changed.get(resource);
    if (rows === null) return;
    if (!rows) this.#changed.set(resource, new Set([row]));
    else if (rows.size < notedRowsMax) rows.add(row);
    else this.#changed.set(resource, null);
  }

  takeChanged(): ReadonlyMap<string, ReadonlySet<number> | null> {
    const changed = this.#changed;
    if (changed.size > 0) this.#changed = new Map();
    return changed;
  }

  addDue(resource: string, dueAt: number): void {
    if (this.#earliestDue && dueAt < (this.#earliestDue.get(resource) ?? Number.POSITIVE_INFINITY))
      this.#earliestDue.set(resource, dueAt);
  }

  /** False where surely nothing is due, in one resource or in all. */
  mayBeDue(now: number, resource?: string): boolean {
    if (!this.#earliestDue) return true;
    if (resource !== undefined) return now >= (this.#earliestDue.get(resource) ?? Number.POSITIVE_INFINITY);
    for (const dueAt of this.#earliestDue.values()) if (now >= dueAt) return true;
    return false;
  }

  learn(earliestDue: Map<string, number>): void {
    this.#earliestDue = earliestDue;
  }
}

/** Called before a change is made, and told how statements failed: see `Hold`. */
export interface Guard {
  check(): void;
  beforeChange(): void;
  failed(error: unknown): void;
}

const sql = {
  idempotent: `SELECT method, path, body_hash, status, headers, body, until FROM ninefold_idempotency WHERE scope = ? AND key = ? AND until > ?`,
  keepAnswer: `INSERT OR REPLACE INTO ninefold_idempotency (scope, key, method, path, body_hash, status, headers, body, until)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  forget: `DELETE FROM ninefold_idempotency WHERE rowid IN (SELECT rowid FROM ninefold_idempotency WHERE until <= ? LIMIT ${cleanedMax})`,
  appendEvent: `INSERT INTO ninefold_events (id, type, time, resource, row, subject, payload, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  setTimer: `INSERT OR REPLACE INTO ninefold_timers (resource, row, transition, "end", due_at) VALUES (?, ?, ?, ?, ?)`,
  clearTimer: `DELETE FROM ninefold_timers WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
  clearTimers: `DELETE FROM ninefold_timers WHERE resource = ? AND row = ?`,
  postpone: `UPDATE ninefold_timers SET due_at = ?, failures = ? WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
  hold: `UPDATE ninefold_timers SET held = 1 WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
  wake: `UPDATE ninefold_timers SET held = 0, due_at = max(due_at, ?) WHERE resource = ? AND row = ? AND held = 1 RETURNING due_at`,
  events: `SELECT sequence, id, type, time, resource, row, subject, payload, record FROM ninefold_events ORDER BY sequence`,
  eventsAfter: `SELECT sequence, id, type, time, resource, row, subject, payload, record FROM ninefold_events WHERE sequence > ?
    ORDER BY sequence ${boundLimit}`,
  firstSequence: `SELECT min(sequence) FROM ninefold_events`,
  lastSequence: `SELECT seq FROM sqlite_sequence WHERE name = 'ninefold_events'`,
  nextDue: `SELECT min(due_at) FROM ninefold_timers WHERE held = 0`,
  firstTimed: `SELECT resource, due_at FROM ninefold_timers WHERE held = 0 AND resource > ? ORDER BY resource, due_at LIMIT 1`,
  setting: `SELECT value FROM ninefold_settings WHERE name = ?`,
  setSetting: `INSERT OR REPLACE INTO ninefold_settings (name, value) VALUES (?, ?)`,
  next: `INSERT INTO ninefold_sequences (name, within, value) VALUES (?, ?, 1)
    ON CONFLICT (name, within) DO UPDATE SET value = value + 1 RETURNING value`,
  goOnBehind: `INSERT INTO ninefold_sequences (name, within, value) VALUES (?, ?, ?)
    ON CONFLICT (name, within) DO UPDATE SET value = max(value, excluded.value)`,
};

const timerColumns = `SELECT resource, row, transition, "end", due_at, failures FROM ninefold_timers`;
const inOrder = `ORDER BY due_at, resource, row, transition, "end" ${boundLimit}`;
const dueSql = {
  all: `${timerColumns} WHERE held = 0 AND due_at <= ? ${inOrder}`,
  ofResource: `${timerColumns} WHERE held = 0 AND due_at <= ? AND resource = ? ${inOrder}`,
  // With a `+`, so that it is found by its key, not by an index of what is due, which may be long.
  ofRecord: `${timerColumns} WHERE +held = 0 AND +due_at <= ? AND resource = ? AND row = ? ${inOrder}`,
};

/** The reading half, on a connection that sees what it should see. */
export class SystemReader {
  protected readonly connection: Connection;
  protected readonly state: SystemState;

  constructor(connection: Connection, state: SystemState) {
    this.connection = connection;
    this.state = state;
  }

  setting(name: string): string | null {
    const row = this.connection.statement(sql.setting).get([name]);
    return row ? (row[0] as string) : null;
  }

  dueTimers(now: number, limit: number, resource?: string, row?: number): readonly DueTimer[] {
    if (!this.state.mayBeDue(now, resource)) return [];
    if (resource === undefined) return this.#timers(dueSql.all, [now, limit]);
    if (row === undefined) return this.#timers(dueSql.ofResource, [now, resource, limit]);
    return this.#timers(dueSql.ofRecord, [now, resource, row, limit]);
  }

  nextDue(): number | null {
    const row = this.connection.statement(sql.nextDue).get([]);
    return (row?.[0] ?? null) as number | null;
  }

  /** The event log, oldest first. */
  events(): readonly LoggedEvent[] {
    return this.connection.statement(sql.events).all([]).map(loggedEvent);
  }

  eventsAfter(sequence: number, limit: number): readonly LoggedEvent[] {
    return this.connection.statement(sql.eventsAfter).all([sequence, limit]).map(loggedEvent);
  }

  logSpan(): LogSpan {
    const first = this.connection.statement(sql.firstSequence).get([]);
    const last = this.connection.statement(sql.lastSequence).get([]);
    return { first: (first?.[0] ?? null) as number | null, last: (last?.[0] as number | undefined) ?? 0 };
  }

  /**
   * Learns the true times before which nothing is due. Only good while no transaction is open: what stands in one may still be
   * taken back, and a timer would come back with it.
   */
  learnNextDue(): number | null {
    const earliest = new Map<string, number>();
    const next = this.connection.statement(sql.firstTimed);
    // From resource to resource by the index, which holds all their timers.
    for (let row = next.get([""]); row; row = next.get([row[0] as string]))
      earliest.set(row[0] as string, row[1] as number);
    this.state.learn(earliest);
    return earliest.size === 0 ? null : Math.min(...earliest.values());
  }

  #timers(text: string, values: readonly SQLInputValue[]): readonly DueTimer[] {
    return this.connection.statement(text).all(values).map(dueTimer);
  }
}

function dueTimer([resource, row, transition, end, dueAt, failures]: Row): DueTimer {
  return {
    resource: resource as string,
    row: row as number,
    transition: transition as string,
    end: end as number,
    dueAt: dueAt as number,
    failures: failures as number,
  };
}

function loggedEvent([sequence, id, type, time, resource, row, subject, payload, record]: Row): LoggedEvent {
  return {
    sequence: sequence as number,
    id: id as string,
    type: type as string,
    time: time as string,
    resource: resource as string,
    row: row as number,
    subject: subject as string,
    payload: payload as string,
    record: record as string | null,
  };
}

/** All of it, inside of one write. */
export class SystemWriter extends SystemReader implements SystemTables {
  readonly #guard: Guard;
  #deliveries: DeliveryWriter | undefined;

  constructor(connection: Connection, state: SystemState, guard: Guard) {
    super(connection, state);
    this.#guard = guard;
  }

  // Made when it is first asked for: most writes send nothing.
  get deliveries(): DeliveryWriter {
    this.#guard.check();
    this.#deliveries ??= new DeliveryWriter(this.connection, (text, run) => this.#changing(text, run));
    return this.#deliveries;
  }

  override dueTimers(now: number, limit: number, resource?: string, row?: number): readonly DueTimer[] {
    this.#guard.check();
    return super.dueTimers(now, limit, resource, row);
  }

  override setting(name: string): string | null {
    this.#guard.check();
    return super.setting(name);
  }

  idempotent(scope: string, key: string, now: number): KeptAnswer | null {
    this.#guard.check();
    if (now > this.state.latestNow) this.state.latestNow = now;
    const row = this.connection.statement(sql.idempotent).get([scope, key, now]);
    if (!row) return null;
    const [method, path, bodyHash, status, headers, body, until] = row as [
      string,
      string,
      string,
      number,
      string,
      string,
      number,
    ];
    return { method, path, bodyHash, status, headers: JSON.parse(headers), body, until };
  }

  keepAnswer(scope: string, key: string, answer: KeptAnswer): void {
    const { method, path, bodyHash, status, headers, body, until } = answer;
    const { lastRow } = this.#run(sql.keepAnswer, [
      scope,
      key,
      method,
      path,
      bodyHash,
      status,
      JSON.stringify(headers),
      body,
      until,
    ]);
    if (lastRow % cleaningEvery === 0) this.#run(sql.forget, [this.state.latestNow]);
  }

  appendEvents(events: readonly NewEvent[]): readonly number[] {
    this.state.hasNewEvents ||= events.length > 0;
    return events.map((event) => {
      const { id, type, time, resource, row, subject, payload, record } = event;
      return this.#run(sql.appendEvent, [id, type, time, resource, row, subject, payload, record ?? null])
        .lastRow;
    });
  }

  nextSequence(): number {
    this.#guard.check();
    const row = this.connection.statement(sql.lastSequence).get([]);
    return ((row?.[0] as number | undefined) ?? 0) + 1;
  }

  setTimer(timer: Timer, dueAt: number | null): void {
    const key = [timer.resource, timer.row, timer.transition, timer.end];
    if (dueAt === null) {
      this.#run(sql.clearTimer, key);
      return;
    }
    this.#run(sql.setTimer, [...key, dueAt]);
    this.state.addDue(timer.resource, dueAt);
  }

  clearTimers(resource: string, row: number): void {
    this.#run(sql.clearTimers, [resource, row]);
  }

  postponeTimer(timer: Timer, dueAt: number, failures: number): void {
    this.#run(sql.postpone, [dueAt, failures, timer.resource, timer.row, timer.transition, timer.end]);
    this.state.addDue(timer.resource, dueAt);
  }

  holdTimer(timer: Timer): void {
    this.#run(sql.hold, [timer.resource, timer.row, timer.transition, timer.end]);
  }

  wakeTimers(resource: string, row: number, now: number): number {
    const woken = this.#changing(sql.wake, (statement) => statement.all([now, resource, row]));
    for (const [dueAt] of woken) this.state.addDue(resource, dueAt as number);
    return woken.length;
  }

  blank(traces: Traces): Blanked {
    this.#guard.beforeChange();
    return blankTraces(this.connection, traces);
  }

  setSetting(name: string, value: string): void {
    this.#run(sql.setSetting, [name, value]);
  }

  next(name: string, within: string): number {
    const row = this.#changing(sql.next, (statement) => statement.get([name, within]));
    return row?.[0] as number;
  }

  goOnBehind(name: string, within: string, value: number): void {
    this.#run(sql.goOnBehind, [name, within, value]);
  }

  #run(
    text: string,
    values: readonly SQLInputValue[],
  ): { readonly changes: number; readonly lastRow: number } {
    return this.#changing(text, (statement) => statement.run(values));
  }

  #changing<T>(text: string, run: (statement: Statement) => T): T {
    this.#guard.beforeChange();
    try {
      return run(this.connection.statement(text));
    } catch (error) {
      this.#guard.failed(error);
      throw error;
    }
  }
}
