/** Deliveries and receivers in SQLite: see `../deliveries.ts` for what each means. */
import type { SQLInputValue } from "node:sqlite";
import {
  type AttemptNote,
  type AttemptRow,
  type AttemptTold,
  attemptsKept,
  type CommittedDeliveries,
  type Deliveries,
  type DeliveryFilter,
  type DeliveryRow,
  type DisabledReceiver,
  type DueDelivery,
  type DueReceiver,
  type NewDelivery,
  openCountedMax,
  type Receiver,
  type ReceiverFilter,
  type ReceiverRow,
  type Reopened,
} from "../deliveries.ts";
import { boundLimit } from "./bound-limit.ts";
import { type Browsing, Conditions } from "./browsing.ts";
import type { Connection, Row, Statement } from "./connection.ts";
import { numberOfDelivery, sequenceOfEvent } from "./find-by-time.ts";

const columns = `d.number, d.id, d.channel, d.event, d.resource, d.row, d.content, d.queue, d.state, d.attempts, d.due_at, d.created_at,
    d.last_at, d.ended_at, d.status, d.error, e.id, e.type, e.time, e.subject, d.record`;
const withEvents = "FROM ninefold_deliveries d JOIN ninefold_events e ON e.sequence = d.event";
const ofReceiver = "channel = ? AND resource = ? AND row = ?";
/** The receiver's next time: that of its earliest delivery, but not before it may be asked again. */
const receiverDue = `(SELECT max(not_before, min(d.due_at)) FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel
    AND d.resource = r.resource AND d.row = r.row)`;

const receiverColumns = `r.channel, r.resource, r.row, r.failing, r.paused, r.disabled, r.due_at, (SELECT count(*) FROM
    (SELECT 1 FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel AND d.resource = r.resource AND d.row = r.row
    LIMIT ${openCountedMax}))`;

const sql = {
  receiverAsIs: `SELECT ${receiverColumns} FROM ninefold_receivers r WHERE ${ofReceiver}`,
  dueReceivers: `SELECT channel, resource, row, failing FROM ninefold_receivers WHERE failing = ? AND due_at <= ? AND disabled IS NULL
    AND paused = 0 ORDER BY due_at ${boundLimit}`,
  due: `SELECT ${columns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open'
    AND d.due_at <= ? ORDER BY d.due_at, d.number ${boundLimit}`,
  nextDue: `SELECT min(due_at) FROM ninefold_receivers WHERE failing = ? AND due_at > ? AND disabled IS NULL AND paused = 0`,
  disabled: `SELECT channel, resource, row, disabled FROM ninefold_receivers WHERE disabled IS NOT NULL`,
  add: `INSERT INTO ninefold_deliveries (id, channel, event, resource, row, content, queue, record, state, due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`,
  isQueued: `SELECT 1 FROM ninefold_deliveries WHERE ${ofReceiver} AND queue = ? AND state = 'open' LIMIT 1`,
  receives: `INSERT INTO ninefold_receivers (channel, resource, row, due_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET disabled = NULL,
      due_at = max(not_before, min(coalesce(due_at, excluded.due_at), excluded.due_at))`,
  note: `UPDATE ninefold_deliveries SET state = ?, attempts = attempts + 1, due_at = ?, last_at = ?, ended_at = ?, status = ?, error = ?
    WHERE number = ? RETURNING channel, resource, row, queue`,
  noteAttempt: `INSERT INTO ninefold_attempts (delivery, number, started_at, took_ms, status, error, answer) VALUES (?1,
    (SELECT coalesce(max(number), 0) + 1 FROM ninefold_attempts WHERE delivery = ?1), ?2, ?3, ?4, ?5, ?6) RETURNING number`,
  forgetAttempts: `DELETE FROM ninefold_attempts WHERE delivery = ? AND number <= ?`,
  attempts: `SELECT number, started_at, took_ms, status, error, answer FROM ninefold_attempts WHERE delivery = ? ORDER BY number DESC`,
  nextOfQueue: `UPDATE ninefold_deliveries SET due_at = ? WHERE number = (SELECT min(number) FROM ninefold_deliveries
    WHERE ${ofReceiver} AND queue = ? AND state = 'open') AND due_at IS NULL`,
  receiver: `UPDATE ninefold_receivers AS r SET failing = ?, not_before = max(not_before, ?), disabled = ? WHERE ${ofReceiver}`,
  receiverDue: `UPDATE ninefold_receivers AS r SET due_at = ${receiverDue} WHERE ${ofReceiver}`,
  open: `SELECT ${columns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open' ${boundLimit}`,
  giveUp: `UPDATE ninefold_deliveries SET state = 'dead', due_at = NULL, ended_at = ?, error = ? WHERE number = ?`,
  reopen: `UPDATE ninefold_deliveries SET state = 'open', attempts = 0, due_at = ?, ended_at = NULL WHERE number = ?`,
  hasten: `UPDATE ninefold_deliveries SET due_at = ? WHERE number = ?`,
  reopened: `INSERT INTO ninefold_receivers (channel, resource, row) VALUES (?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET not_before = 0, disabled = NULL`,
  enable: `UPDATE ninefold_receivers SET disabled = NULL, not_before = 0 WHERE resource = ? AND row = ?`,
  pause: `INSERT INTO ninefold_receivers (channel, resource, row, paused) VALUES ('webhook', ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET paused = excluded.paused`,
  forget: `DELETE FROM ninefold_deliveries WHERE number IN (SELECT number FROM ninefold_deliveries WHERE ended_at < ? ORDER BY ended_at
    ${boundLimit}) RETURNING record, number`,
  forgetReceivers: `DELETE FROM ninefold_receivers WHERE (channel, resource, row) IN (SELECT channel, resource, row FROM ninefold_receivers
    WHERE due_at IS NULL AND disabled IS NULL AND paused = 0 ${boundLimit})`,
  olderEvents: `SELECT sequence, time < ? FROM ninefold_events WHERE sequence > ? ORDER BY sequence ${boundLimit}`,
  forgetEvents: `DELETE FROM ninefold_events WHERE sequence > ? AND sequence <= ? AND time < ?
    AND NOT EXISTS (SELECT 1 FROM ninefold_deliveries d WHERE d.event = sequence)`,
};

/** What is asked for one delivery or one event goes along an index; the rest is read in the order of making. */
function conditionsOf(connection: Connection, filter: DeliveryFilter): Conditions {
  const { id, eventId, receiver, hasFailed } = filter;
  const conditions = new Conditions()
    .add("d.number = ?", id === undefined ? undefined : numberOfDelivery(connection, id))
    .add("d.event = ?", eventId === undefined ? undefined : sequenceOfEvent(connection, eventId))
    .add("d.resource = ? AND d.row = ?", receiver?.resource, receiver?.row)
    .add("d.channel = ?", filter.channel)
    .add("d.state = ?", filter.state)
    .add("d.created_at >= ?", filter.from)
    .add("d.created_at < ?", filter.until)
    .add("d.number < ?", filter.before);
  return hasFailed ? conditions.add("d.state != 'done' AND d.error IS NOT NULL") : conditions;
}

/** Newest first. */
export function listDeliveries(filter: DeliveryFilter, limit: number): Browsing<readonly DeliveryRow[]> {
  return (connection) => {
    const conditions = conditionsOf(connection, filter);
    return {
      text: `SELECT ${columns} ${withEvents}${conditions.ticking} ORDER BY d.number DESC ${boundLimit}`,
      values: [...conditions.values, limit],
      read: (rows) => rows.map(deliveryRow),
    };
  };
}

export function countDeliveries(filter: DeliveryFilter, most: number): Browsing<number> {
  return (connection) => {
    const conditions = conditionsOf(connection, filter);
    return {
      text: `SELECT count(*) FROM (SELECT 1 FROM ninefold_deliveries d${conditions.ticking} ${boundLimit})`,
      values: [...conditions.values, most],
      read: ([row]) => Number(row?.[0] ?? 0),
    };
  };
}

export function listReceivers(
  { channel, inTrouble, after }: ReceiverFilter,
  limit: number,
): Browsing<readonly ReceiverRow[]> {
  return () => {
    const conditions = new Conditions()
      .add("r.channel = ?", channel)
      .add("(r.channel, r.resource, r.row) > (?, ?, ?)", after?.channel, after?.resource, after?.row);
    if (inTrouble) conditions.add("(r.failing = 1 OR r.paused = 1 OR r.disabled IS NOT NULL)");
    return {
      text: `SELECT ${receiverColumns} FROM ninefold_receivers r${conditions.ticking} ORDER BY r.channel, r.resource, r.row ${boundLimit}`,
      values: [...conditions.values, limit],
      read: (rows) => rows.map(receiverRow),
    };
  };
}

/** The reading half, on a connection that sees what it should see. */
export class DeliveryReader implements CommittedDeliveries {
  protected readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  dueReceivers(now: number, isFailing: boolean, limit: number): readonly DueReceiver[] {
    const rows = this.connection.statement(sql.dueReceivers).all([isFailing ? 1 : 0, now, limit]);
    return rows.map(([channel, resource, row, failing]) => ({
      channel: channel as Receiver["channel"],
      resource: resource as string,
      row: row as number,
      isFailing: failing === 1,
    }));
  }

  due({ channel, resource, row }: Receiver, now: number, limit: number): readonly DueDelivery[] {
    const rows = this.connection.statement(sql.due).all([channel, resource, row, now, limit]);
    return rows.map((one) => ({ ...deliveryRow(one), payload: one[21] as string }));
  }

  nextDue(now: number): number | null {
    const statement = this.connection.statement(sql.nextDue);
    const times = [0, 1].map((failing) => (statement.get([failing, now])?.[0] ?? null) as number | null);
    const known = times.filter((time) => time !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  list(filter: DeliveryFilter, limit: number): readonly DeliveryRow[] {
    return this.#browse(listDeliveries(filter, limit));
  }

  count(filter: DeliveryFilter, most: number): number {
    return this.#browse(countDeliveries(filter, most));
  }

  receivers(filter: ReceiverFilter, limit: number): readonly ReceiverRow[] {
    return this.#browse(listReceivers(filter, limit));
  }

  receiver({ channel, resource, row }: Receiver): ReceiverRow | null {
    const found = this.connection.statement(sql.receiverAsIs).get([channel, resource, row]);
    return found ? receiverRow(found) : null;
  }

  attempts(number: number): readonly AttemptRow[] {
    return this.connection.statement(sql.attempts).all([number]).map(attemptRow);
  }

  disabled(): readonly DisabledReceiver[] {
    const rows = this.connection.statement(sql.disabled).all([]);
    return rows.map(([channel, resource, row, revision]) => ({
      channel: channel as Receiver["channel"],
      resource: resource as string,
      row: row as number,
      revision: revision as number,
    }));
  }

  /** Here and now, as in a write there is no other place. */
  #browse<T>(browse: Browsing<T>): T {
    const { text, values, read } = browse(this.connection);
    return read(this.connection.statement(text).all(values));
  }
}

function receiverRow([channel, resource, row, failing, paused, disabled, dueAt, open]: Row): ReceiverRow {
  return {
    channel: channel as Receiver["channel"],
    resource: resource as string,
    row: row as number,
    isFailing: failing === 1,
    isPaused: paused === 1,
    disabledRevision: disabled as number | null,
    dueAt: dueAt as number | null,
    open: Number(open),
  };
}

function attemptRow([number, startedAt, durationMs, status, error, answer]: Row): AttemptRow {
  return {
    number: number as number,
    startedAt: startedAt as number,
    durationMs: durationMs as number,
    status: status as number | null,
    error: error as string | null,
    answer: answer as string | null,
  };
}

function deliveryRow(row: Row): DeliveryRow {
  return {
    number: row[0] as number,
    id: row[1] as string,
    channel: row[2] as Receiver["channel"],
    event: row[3] as number,
    resource: row[4] as string,
    row: row[5] as number,
    content: row[6] as string | null,
    queue: row[7] as string | null,
    state: row[8] as DeliveryRow["state"],
    attempts: row[9] as number,
    dueAt: row[10] as number | null,
    createdAt: row[11] as number,
    lastAt: row[12] as number | null,
    endedAt: row[13] as number | null,
    status: row[14] as number | null,
    error: row[15] as string | null,
    eventId: row[16] as string,
    eventType: row[17] as string,
    eventTime: row[18] as string,
    subject: row[19] as string,
    record: row[20] as number | null,
  };
}

/** Runs a statement that changes something, under the write's guard. */
export type Changing = <T>(text: string, run: (statement: Statement) => T) => T;

/** All of it, inside of one write. */
export class DeliveryWriter extends DeliveryReader implements Deliveries {
  readonly #changing: Changing;

  constructor(connection: Connection, changing: Changing) {
    super(connection);
    this.#changing = changing;
  }

  add(deliveries: readonly NewDelivery[]): void {
    for (const one of deliveries) {
      const { id, channel, event, resource, row, content, queue, record, createdAt } = one;
      const waits = this.#isQueued(one);
      const due = waits ? null : createdAt;
      this.#run(sql.add, [id, channel, event, resource, row, content, queue, record, due, createdAt]);
      if (!waits) this.#run(sql.receives, [channel, resource, row, createdAt]);
    }
  }

  noteAttempt(note: AttemptNote, told: AttemptTold): boolean {
    const { number, state, at, dueAt, status, error } = note;
    const endedAt = state === "open" ? null : at;
    const noted = this.#changing(sql.note, (statement) =>
      statement.get([state, dueAt, at, endedAt, status, error, number]),
    );
    // It was forgotten or erased meanwhile: nothing is left to be noted.
    if (!noted) return false;
    this.#tellAttempt(number, told, status, error);
    const [channel, resource, row, queue] = noted as [string, string, number, string | null];
    const receiver = [channel, resource, row];
    const { throttledUntil, disabledRevision } = note;
    if (state !== "open" && queue !== null) this.#run(sql.nextOfQueue, [at, ...receiver, queue]);
    const isFailing = state === "done" ? 0 : 1;
    this.#run(sql.receiver, [isFailing, throttledUntil ?? 0, disabledRevision ?? null, ...receiver]);
    this.#run(sql.receiverDue, receiver);
    return true;
  }

  #tellAttempt(delivery: number, told: AttemptTold, status: number | null, error: string | null): void {
    const { startedAt, durationMs, answer } = told;
    const values = [delivery, startedAt, durationMs, status, error, answer];
    const noted = this.#changing(sql.noteAttempt, (statement) => statement.get(values));
    const number = noted?.[0] as number;
    if (number > attemptsKept) this.#run(sql.forgetAttempts, [delivery, number - attemptsKept]);
  }

  giveUp(receiver: Receiver, at: number, error: string, limit: number): readonly DueDelivery[] {
    const { channel, resource, row } = receiver;
    const rows = this.connection.statement(sql.open).all([channel, resource, row, limit]);
    const open = rows.map((one) => ({ ...deliveryRow(one), payload: one[21] as string }));
    for (const { number } of open) this.#run(sql.giveUp, [at, error, number]);
    this.#run(sql.receiverDue, [channel, resource, row]);
    return open;
  }

  reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Reopened {
    const { where, values } = conditionsOf(this.connection, filter)
      .add("d.number > ?", after)
      .add("(d.state != 'open' OR d.due_at > ?)", now);
    const text = `SELECT ${columns} ${withEvents}${where} ORDER BY d.number ${boundLimit}`;
    const over = this.connection
      .statement(text)
      .all([...values, limit])
      .map(deliveryRow);
    const receivers = new Map<string, Receiver>();
    for (const one of over) {
      if (one.state === "open") this.#run(sql.hasten, [now, one.number]);
      // One that waits for others of its queue is due when they are over; the earliest of them, which comes first here, is due now.
      else this.#run(sql.reopen, [this.#isQueued(one) ? null : now, one.number]);
      receivers.set(`${one.channel} ${one.resource} ${one.row}`, one);
    }
    for (const { channel, resource, row } of receivers.values()) {
      this.#run(sql.reopened, [channel, resource, row]);
      this.#run(sql.receiverDue, [channel, resource, row]);
    }
    return { count: over.length, last: over.at(-1)?.number ?? null };
  }

  enable({ resource, row }: Omit<Receiver, "channel">): void {
    this.#run(sql.enable, [resource, row]);
    this.#run(sql.receiverDue, ["webhook", resource, row]);
  }

  setPaused({ resource, row }: Omit<Receiver, "channel">, isPaused: boolean): void {
    this.#run(sql.pause, [resource, row, isPaused ? 1 : 0]);
  }

  forget(endedBefore: number, limit: number): readonly (number | null)[] {
    const gone = this.#changing(sql.forget, (statement) => statement.all([endedBefore, limit]));
    for (const [, number] of gone) this.#run(sql.forgetAttempts, [number as number, Number.MAX_SAFE_INTEGER]);
    this.#run(sql.forgetReceivers, [limit]);
    return gone.map(([record]) => record as number | null);
  }

  forgetEvents(sequence: number, time: string, limit: number): number | null {
    const rows = this.connection.statement(sql.olderEvents).all([time, sequence, limit]);
    const old = rows.filter(([, isOld]) => isOld === 1);
    const last = old.at(-1)?.[0] as number | undefined;
    if (last === undefined) return null;
    this.#run(sql.forgetEvents, [sequence, last, time]);
    return old.length === rows.length && rows.length === limit ? last : null;
  }

  /** Others of its queue are still to be sent. */
  #isQueued({ channel, resource, row, queue }: Receiver & { readonly queue: string | null }): boolean {
    if (queue === null) return false;
    return this.connection.statement(sql.isQueued).get([channel, resource, row, queue]) !== undefined;
  }

  #run(text: string, values: readonly SQLInputValue[]): void {
    this.#changing(text, (statement) => statement.run(values));
  }
}
