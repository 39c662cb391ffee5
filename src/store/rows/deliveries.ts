/** Deliveries and receivers: see `../deliveries.ts` for what each means. */
import type { Awaitable } from "../../support/awaitable.ts";
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
import { attemptRow, deliveryColumns, deliveryRow, dueDelivery, receiverRow } from "./delivery-rows.ts";
import { type Browsing, Conditions } from "./browsing.ts";
import { numberOfDelivery, sequenceOfEvent } from "./find-by-time.ts";
import {
  all,
  type Asked,
  type Asking,
  change,
  changeAndTell,
  first,
  foretold,
  ofDeliveries,
  type Statement,
  type Steps,
} from "./steps.ts";
import type { OwnStatements } from "./system.ts";
import type { Words } from "./words.ts";

const withEvents = "FROM ninefold_deliveries d JOIN ninefold_events e ON e.sequence = d.event";
const ofReceiver = "channel = ? AND resource = ? AND row = ?";
/** The receiver's next time: that of its earliest delivery, but not before it may be asked again. */
const receiverDue = `(SELECT CASE WHEN r.not_before > min(d.due_at) THEN r.not_before ELSE min(d.due_at) END FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel
    AND d.resource = r.resource AND d.row = r.row)`;

const receiverColumns = `r.channel, r.resource, r.row, r.failing, r.paused, r.disabled, r.due_at, (SELECT count(*) FROM
    (SELECT 1 FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel AND d.resource = r.resource AND d.row = r.row
    LIMIT ${openCountedMax}) AS counted)`;

/** The statements, in a database's words. */
export function deliveryStatements({ limit }: Words) {
  const plain = {
    receiverAsIs: `SELECT ${receiverColumns} FROM ninefold_receivers r WHERE ${ofReceiver}`,
    dueReceivers: `SELECT channel, resource, row, failing FROM ninefold_receivers WHERE failing = ? AND due_at <= ? AND disabled IS NULL
    AND paused = 0 ORDER BY due_at ${limit}`,
    due: `SELECT ${deliveryColumns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open'
    AND d.due_at <= ? ORDER BY d.due_at, d.number ${limit}`,
    nextDue: `SELECT min(due_at) FROM ninefold_receivers WHERE failing = ? AND due_at > ? AND disabled IS NULL AND paused = 0`,
    disabled: `SELECT channel, resource, row, disabled FROM ninefold_receivers WHERE disabled IS NOT NULL`,
    countOpen: `SELECT count(*) FROM (SELECT 1 FROM ninefold_deliveries WHERE state = 'open' ${limit}) AS found`,
    add: `INSERT INTO ninefold_deliveries (id, channel, event, resource, row, content, queue, record, state, due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`,
    isQueued: `SELECT 1 FROM ninefold_deliveries WHERE ${ofReceiver} AND queue = ? AND state = 'open' LIMIT 1`,
    receives: `INSERT INTO ninefold_receivers AS r (channel, resource, row, due_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET disabled = CASE WHEN r.disabled = ? THEN r.disabled END,
      due_at = CASE WHEN r.due_at < excluded.due_at
      THEN (CASE WHEN r.not_before > r.due_at THEN r.not_before ELSE r.due_at END)
      ELSE (CASE WHEN r.not_before > excluded.due_at THEN r.not_before ELSE excluded.due_at END) END`,
    note: `UPDATE ninefold_deliveries SET state = ?, attempts = attempts + 1, due_at = ?, last_at = ?, ended_at = ?, status = ?, error = ?
    WHERE number = ? RETURNING channel, resource, row, queue`,
    noteAttempt: `INSERT INTO ninefold_attempts (delivery, number, started_at, took_ms, status, error, answer) VALUES (?1,
    (SELECT coalesce(max(number), 0) + 1 FROM ninefold_attempts WHERE delivery = ?1), ?2, ?3, ?4, ?5, ?6) RETURNING number`,
    forgetAttempts: `DELETE FROM ninefold_attempts WHERE delivery = ? AND number <= ?`,
    endLease: `UPDATE ninefold_deliveries SET lease_until = NULL WHERE number = ? AND fence = ? RETURNING number`,
    attempts: `SELECT number, started_at, took_ms, status, error, answer FROM ninefold_attempts WHERE delivery = ? ORDER BY number DESC`,
    state: `SELECT state FROM ninefold_deliveries WHERE number = ?`,
    nextOfQueue: `UPDATE ninefold_deliveries SET due_at = ? WHERE number = (SELECT min(number) FROM ninefold_deliveries
    WHERE ${ofReceiver} AND queue = ? AND state = 'open') AND due_at IS NULL`,
    receiver: `UPDATE ninefold_receivers SET failing = ?1, not_before = CASE WHEN not_before > ?2 THEN not_before ELSE ?2 END,
    disabled = coalesce(?3, disabled)
    WHERE channel = ?4 AND resource = ?5 AND row = ?6`,
    receiverDue: `UPDATE ninefold_receivers AS r SET due_at = ${receiverDue} WHERE ${ofReceiver}`,
    open: `SELECT ${deliveryColumns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open' ${limit}`,
    giveUp: `UPDATE ninefold_deliveries SET state = 'dead', due_at = NULL, ended_at = ?, error = ? WHERE number = ?`,
    reopen: `UPDATE ninefold_deliveries SET state = 'open', attempts = 0, due_at = ?, ended_at = NULL WHERE number = ?`,
    hasten: `UPDATE ninefold_deliveries SET due_at = ? WHERE number = ?`,
    reopened: `INSERT INTO ninefold_receivers (channel, resource, row) VALUES (?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET not_before = 0, disabled = NULL`,
    enable: `UPDATE ninefold_receivers SET disabled = NULL, not_before = 0 WHERE resource = ? AND row = ?`,
    pause: `INSERT INTO ninefold_receivers (channel, resource, row, paused) VALUES ('webhook', ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET paused = excluded.paused`,
    forget: `DELETE FROM ninefold_deliveries WHERE number IN (SELECT number FROM ninefold_deliveries WHERE ended_at < ? ORDER BY ended_at
    ${limit}) RETURNING record, number`,
    forgetReceivers: `DELETE FROM ninefold_receivers WHERE (channel, resource, row) IN (SELECT channel, resource, row FROM ninefold_receivers
    WHERE due_at IS NULL AND disabled IS NULL AND paused = 0 ${limit})`,
    olderEvents: `SELECT sequence, CASE WHEN time < ? THEN 1 ELSE 0 END FROM ninefold_events WHERE sequence > ? ORDER BY sequence ${limit}`,
    forgetEvents: `DELETE FROM ninefold_events WHERE sequence > ? AND sequence <= ? AND time < ?
    AND NOT EXISTS (SELECT 1 FROM ninefold_deliveries d WHERE d.event = sequence)`,
  };
  const texts = Object.entries(plain).map(([name, sql]) => [name, { sql, isOwn: true }]);
  return Object.fromEntries(texts) as { readonly [Name in keyof typeof plain]: Statement };
}

export type DeliveryStatements = ReturnType<typeof deliveryStatements>;

/** What is asked for one delivery or one event goes along an index; the rest is read in the order of making. */
function* conditionsOf(filter: DeliveryFilter): Steps<Conditions> {
  const { id, eventId, receiver, hasFailed } = filter;
  const conditions = new Conditions()
    .add("d.number = ?", id === undefined ? undefined : yield* numberOfDelivery(id))
    .add("d.event = ?", eventId === undefined ? undefined : yield* sequenceOfEvent(eventId))
    .add("d.resource = ? AND d.row = ?", receiver?.resource, receiver?.row)
    .add("d.channel = ?", filter.channel)
    .add("d.state = ?", filter.state)
    .add("d.created_at >= ?", filter.from)
    .add("d.created_at < ?", filter.until)
    .add("d.number < ?", filter.before);
  return hasFailed ? conditions.add("d.state != 'done' AND d.error IS NOT NULL") : conditions;
}

/** Newest first. */
export function* listDeliveries(
  filter: DeliveryFilter,
  limit: number,
  words: Words,
): Steps<Browsing<readonly DeliveryRow[]>> {
  const conditions = yield* conditionsOf(filter);
  return {
    text: `SELECT ${deliveryColumns} ${withEvents}${conditions.ticking(words)} ORDER BY d.number DESC ${words.limit}`,
    values: [...conditions.values, limit],
    read: (rows) => rows.map(deliveryRow),
  };
}

export function* countDeliveries(
  filter: DeliveryFilter,
  most: number,
  words: Words,
): Steps<Browsing<number>> {
  const conditions = yield* conditionsOf(filter);
  return {
    text: `SELECT count(*) FROM (SELECT 1 FROM ninefold_deliveries d${conditions.ticking(words)} ${words.limit}) AS found`,
    values: [...conditions.values, most],
    read: ([row]) => Number(row?.[0] ?? 0),
  };
}

export function listReceivers(
  { channel, inTrouble, after }: ReceiverFilter,
  limit: number,
  words: Words,
): Browsing<readonly ReceiverRow[]> {
  const conditions = new Conditions()
    .add("r.channel = ?", channel)
    .add("(r.channel, r.resource, r.row) > (?, ?, ?)", after?.channel, after?.resource, after?.row);
  if (inTrouble) conditions.add("(r.failing = 1 OR r.paused = 1 OR r.disabled IS NOT NULL)");
  return {
    text: `SELECT ${receiverColumns} FROM ninefold_receivers r${conditions.ticking(words)} ORDER BY r.channel, r.resource, r.row ${words.limit}`,
    values: [...conditions.values, limit],
    read: (rows) => rows.map(receiverRow),
  };
}

/** The reading half, of whoever asks: it sees what they see. */
export class DeliveryReader implements CommittedDeliveries {
  protected readonly asking: Asking;
  protected readonly statements: DeliveryStatements;
  protected readonly words: Words;

  constructor(asking: Asking, { deliveries, words }: Pick<OwnStatements, "deliveries" | "words">) {
    this.asking = asking;
    this.statements = deliveries;
    this.words = words;
  }

  dueReceivers(now: number, isFailing: boolean, limit: number): Awaitable<readonly DueReceiver[]> {
    const asked = all(this.statements.dueReceivers, [isFailing ? 1 : 0, now, limit]);
    return this.asking.ask(asked, ({ rows }) =>
      rows.map(([channel, resource, row, failing]) => ({
        channel: channel as Receiver["channel"],
        resource: resource as string,
        row: row as number,
        isFailing: failing === 1,
      })),
    );
  }

  due({ channel, resource, row }: Receiver, now: number, limit: number): Awaitable<readonly DueDelivery[]> {
    const asked = all(this.statements.due, [channel, resource, row, now, limit]);
    return this.asking.ask(asked, ({ rows }) => rows.map(dueDelivery));
  }

  nextDue(now: number): Awaitable<number | null> {
    return this.asking.run(nextDue(this.statements, now));
  }

  list(filter: DeliveryFilter, limit: number): Awaitable<readonly DeliveryRow[]> {
    return this.asking.run(browse(listDeliveries(filter, limit, this.words)));
  }

  count(filter: DeliveryFilter, most: number): Awaitable<number> {
    return this.asking.run(browse(countDeliveries(filter, most, this.words)));
  }

  countOpen(most: number): Awaitable<number> {
    return this.asking.ask(first(this.statements.countOpen, [most]), ({ rows: [row] }) =>
      Number(row?.[0] ?? 0),
    );
  }

  receivers(filter: ReceiverFilter, limit: number): Awaitable<readonly ReceiverRow[]> {
    const { text, values, read } = listReceivers(filter, limit, this.words);
    return this.asking.ask(all({ sql: text }, values), ({ rows }) => read(rows));
  }

  receiver({ channel, resource, row }: Receiver): Awaitable<ReceiverRow | null> {
    const asked = first(this.statements.receiverAsIs, [channel, resource, row]);
    return this.asking.ask(asked, ({ rows: [found] }) => (found ? receiverRow(found) : null));
  }

  attempts(number: number): Awaitable<readonly AttemptRow[]> {
    return this.asking.ask(all(this.statements.attempts, [number]), ({ rows }) => rows.map(attemptRow));
  }

  disabled(): Awaitable<readonly DisabledReceiver[]> {
    return this.asking.ask(all(this.statements.disabled, []), ({ rows }) =>
      rows.map(([channel, resource, row, revision]) => ({
        channel: channel as Receiver["channel"],
        resource: resource as string,
        row: row as number,
        revision: revision as number,
      })),
    );
  }
}

/** Here and now, as in a write there is no other place. */
function* browse<T>(browsing: Steps<Browsing<T>>): Steps<T> {
  const { text, values, read } = yield* browsing;
  return read((yield all({ sql: text }, values)).rows);
}

function* nextDue(statements: DeliveryStatements, now: number): Steps<number | null> {
  const times: number[] = [];
  for (const failing of [0, 1]) {
    const time = (yield first(statements.nextDue, [failing, now])).rows[0]?.[0];
    if (typeof time === "number") times.push(time);
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** All of it, inside of one write. */
export class DeliveryWriter extends DeliveryReader implements Deliveries {
  add(deliveries: readonly NewDelivery[]): Awaitable<void> {
    return this.asking.run(this.#add(deliveries));
  }

  noteAttempt(note: AttemptNote, told: AttemptTold): Awaitable<AttemptNote | null> {
    return this.asking.run(this.#noteAttempt(note, told));
  }

  giveUp(receiver: Receiver, at: number, error: string, limit: number): Awaitable<readonly DueDelivery[]> {
    return this.asking.run(this.#giveUp(receiver, at, error, limit));
  }

  reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Awaitable<Reopened> {
    return this.asking.run(this.#reopen(filter, after, now, limit));
  }

  enable(receiver: Omit<Receiver, "channel">): Awaitable<void> {
    return this.asking.run(this.#enable(receiver));
  }

  setPaused({ resource, row }: Omit<Receiver, "channel">, isPaused: boolean): Awaitable<void> {
    return this.asking.ask(change(this.statements.pause, [resource, row, isPaused ? 1 : 0]), () => {});
  }

  forget(endedBefore: number, limit: number): Awaitable<readonly (number | null)[]> {
    return this.asking.run(this.#forget(endedBefore, limit));
  }

  forgetEvents(sequence: number, time: string, limit: number): Awaitable<number | null> {
    return this.asking.run(this.#forgetEvents(sequence, time, limit));
  }

  *#add(deliveries: readonly NewDelivery[]): Steps<void> {
    for (const one of deliveries) {
      const { id, channel, event, resource, row, content, queue, record, createdAt } = one;
      const waits = yield* this.#isQueued(one);
      const due = waits ? null : createdAt;
      const values = [id, channel, event, resource, row, content, queue, record, due, createdAt];
      yield foretold(this.statements.add, values, ofDeliveries);
      if (waits) continue;
      const received = [channel, resource, row, createdAt, one.revision ?? null];
      yield foretold(this.statements.receives, received, ofDeliveries);
    }
  }

  *#noteAttempt(made: AttemptNote, told: AttemptTold): Steps<AttemptNote | null> {
    if (made.fence !== undefined) {
      // Somebody else has it since: what they find is what counts.
      const [ours] = (yield changeAndTell(this.statements.endLease, [made.number, made.fence])).rows;
      if (!ours) return null;
    }
    const [before] = (yield first(this.statements.state, [made.number])).rows;
    const isGivenUp = before?.[0] === "dead" && made.state === "open";
    const note: AttemptNote = isGivenUp ? { ...made, state: "dead", dueAt: null } : made;
    const { number, state, at, dueAt, status, error } = note;
    const endedAt = state === "open" ? null : at;
    const values = [state, dueAt, at, endedAt, status, error, number];
    const [noted] = (yield changeAndTell(this.statements.note, values)).rows;
    // It was forgotten or erased meanwhile: nothing is left to be noted.
    if (!noted) return null;
    yield* this.#tellAttempt(number, told, status, error);
    const [channel, resource, row, queue] = noted as [string, string, number, string | null];
    const receiver = [channel, resource, row];
    const { throttledUntil, disabledRevision } = note;
    if (state !== "open" && queue !== null)
      yield change(this.statements.nextOfQueue, [at, ...receiver, queue]);
    const isFailing = state === "done" ? 0 : 1;
    const standing = [isFailing, throttledUntil ?? 0, disabledRevision ?? null, ...receiver];
    yield change(this.statements.receiver, standing);
    yield this.#due(receiver);
    return note;
  }

  *#tellAttempt(
    delivery: number,
    told: AttemptTold,
    status: number | null,
    error: string | null,
  ): Steps<void> {
    const { startedAt, durationMs, answer } = told;
    const values = [delivery, startedAt, durationMs, status, error, answer];
    const [noted] = (yield changeAndTell(this.statements.noteAttempt, values)).rows;
    const number = noted?.[0] as number;
    if (number > attemptsKept)
      yield change(this.statements.forgetAttempts, [delivery, number - attemptsKept]);
  }

  *#giveUp(receiver: Receiver, at: number, error: string, limit: number): Steps<readonly DueDelivery[]> {
    const { channel, resource, row } = receiver;
    const { rows } = yield all(this.statements.open, [channel, resource, row, limit]);
    const open = rows.map(dueDelivery);
    for (const { number } of open) yield change(this.statements.giveUp, [at, error, number]);
    yield this.#due([channel, resource, row]);
    return open;
  }

  *#reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Steps<Reopened> {
    const { where, values } = (yield* conditionsOf(filter))
      .add("d.number > ?", after)
      .add("(d.state != 'open' OR d.due_at > ?)", now);
    const text = `SELECT ${deliveryColumns} ${withEvents}${where} ORDER BY d.number ${this.words.limit}`;
    const over = (yield all({ sql: text }, [...values, limit])).rows.map(deliveryRow);
    const receivers = new Map<string, Receiver>();
    for (const one of over) {
      if (one.state === "open") yield change(this.statements.hasten, [now, one.number]);
      // One that waits for others of its queue is due when they are over; the earliest of them, which comes first here, is due now.
      else {
        const due = (yield* this.#isQueued(one)) ? null : now;
        yield change(this.statements.reopen, [due, one.number]);
      }
      receivers.set(`${one.channel} ${one.resource} ${one.row}`, one);
    }
    for (const { channel, resource, row } of receivers.values()) {
      yield change(this.statements.reopened, [channel, resource, row]);
      yield this.#due([channel, resource, row]);
    }
    return { count: over.length, last: over.at(-1)?.number ?? null };
  }

  *#enable({ resource, row }: Omit<Receiver, "channel">): Steps<void> {
    yield change(this.statements.enable, [resource, row]);
    yield this.#due(["webhook", resource, row]);
  }

  *#forget(endedBefore: number, limit: number): Steps<readonly (number | null)[]> {
    const { rows: gone } = yield changeAndTell(this.statements.forget, [endedBefore, limit]);
    for (const [, number] of gone)
      yield change(this.statements.forgetAttempts, [number as number, Number.MAX_SAFE_INTEGER]);
    yield change(this.statements.forgetReceivers, [limit]);
    return gone.map(([record]) => record as number | null);
  }

  *#forgetEvents(sequence: number, time: string, limit: number): Steps<number | null> {
    const { rows } = yield all(this.statements.olderEvents, [time, sequence, limit]);
    const old = rows.filter(([, isOld]) => isOld === 1);
    const last = old.at(-1)?.[0] as number | undefined;
    if (last === undefined) return null;
    yield change(this.statements.forgetEvents, [sequence, last, time]);
    return old.length === rows.length && rows.length === limit ? last : null;
  }

  #due(receiver: readonly (string | number)[]): Asked {
    return change(this.statements.receiverDue, receiver);
  }

  /** Others of its queue are still to be sent. */
  *#isQueued({
    channel,
    resource,
    row,
    queue,
  }: Receiver & { readonly queue: string | null }): Steps<boolean> {
    if (queue === null) return false;
    const { rows } = yield first(this.statements.isQueued, [channel, resource, row, queue]);
    return rows.length > 0;
  }
}
