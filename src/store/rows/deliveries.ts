/** Deliveries and receivers. `../deliveries.ts` describes each function. */
import type { Awaitable } from "../../support/awaitable.ts";
import { nonNull } from "../../support/non-null.ts";
import {
  type AttemptNote,
  type AttemptRow,
  type AttemptResult,
  attemptsKept,
  type CommittedDeliveries,
  type Deliveries,
  type DeliveryFilter,
  type DeliveryRow,
  type DisabledReceiver,
  type DueDelivery,
  type DueReceiver,
  type NewDelivery,
  type Receiver,
  type ReceiverFilter,
  type ReceiverRow,
  type ReopenedDeliveries,
} from "../deliveries.ts";
import {
  attemptRow,
  type DeliveryColumns,
  deliveryColumns,
  deliveryRow,
  dueDelivery,
  type ReceiverColumns,
  receiverRow,
} from "./delivery-rows.ts";
import { type DeliveryStatements, receiverColumns, withEvents } from "./delivery-statements.ts";
import { type Browsing, Conditions } from "./browsing.ts";
import { deliveryNumber, sequenceOfEvent } from "./find-by-time.ts";
import {
  allRows,
  type BoundStatement,
  type Executor,
  change,
  changeAndReport,
  firstRow,
  expected,
  aboutDeliveries,
  type Row,
  rowOf,
  rowsOf,
  statement,
  type Steps,
  type WriteExecutor,
} from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";
import type { OwnStatements } from "./own-statements.ts";

/**
 * The conditions of a filter. A filter by one delivery or one event uses an index; all others read
 * in order of creation.
 */
function* conditionsOf(filter: DeliveryFilter): Steps<Conditions> {
  const { id, eventId, receiver, hasFailed } = filter;
  const conditions = new Conditions()
    .add("d.number = ?", id === undefined ? undefined : yield* deliveryNumber(id))
    .add("d.event = ?", eventId === undefined ? undefined : yield* sequenceOfEvent(eventId))
    .add("d.resource = ? AND d.row = ?", receiver?.resource, receiver?.row)
    .add("d.channel = ?", filter.channel)
    .add("d.state = ?", filter.state)
    .add("d.created_at >= ?", filter.from)
    .add("d.created_at < ?", filter.until)
    .add("d.number < ?", filter.before);
  return hasFailed ? conditions.add("d.state != 'done' AND d.error IS NOT NULL") : conditions;
}

/** Lists deliveries, the newest first. */
export function* listDeliveries(
  filter: DeliveryFilter,
  limit: number,
  words: RowDialect,
): Steps<Browsing<readonly DeliveryRow[], DeliveryColumns>> {
  const conditions = yield* conditionsOf(filter);
  return {
    text: `SELECT ${deliveryColumns} ${withEvents}${conditions.ticking(words)} ORDER BY d.number DESC ${words.limit}`,
    values: [...conditions.values, limit],
    read: (rows) => rows.map(deliveryRow),
  };
}

/** Counts deliveries up to a maximum. */
export function* countDeliveries(
  filter: DeliveryFilter,
  max: number,
  words: RowDialect,
): Steps<Browsing<number>> {
  const conditions = yield* conditionsOf(filter);
  return {
    text: `SELECT count(*) FROM (SELECT 1 FROM ninefold_deliveries d${conditions.ticking(words)} ${words.limit}) AS found`,
    values: [...conditions.values, max],
    read: ([row]) => Number(row?.[0] ?? 0),
  };
}

/** Lists receivers in the order of their keys. */
export function listReceivers(
  { channel, isFailing, after }: ReceiverFilter,
  limit: number,
  words: RowDialect,
): Browsing<readonly ReceiverRow[], ReceiverColumns> {
  const conditions = new Conditions()
    .add("r.channel = ?", channel)
    .add("(r.channel, r.resource, r.row) > (?, ?, ?)", after?.channel, after?.resource, after?.row);
  if (isFailing) conditions.add("(r.failing = 1 OR r.paused = 1 OR r.disabled IS NOT NULL)");
  return {
    text: `SELECT ${receiverColumns} FROM ninefold_receivers r${conditions.ticking(words)} ORDER BY r.channel, r.resource, r.row ${words.limit}`,
    values: [...conditions.values, limit],
    read: (rows) => rows.map(receiverRow),
  };
}

/** Reads deliveries and receivers with the executor of one caller, and sees what it sees. */
export class DeliveryReader implements CommittedDeliveries {
  protected readonly executor: Executor;
  protected readonly statements: DeliveryStatements;
  protected readonly words: RowDialect;

  constructor(executor: Executor, { deliveries, words }: Pick<OwnStatements, "deliveries" | "words">) {
    this.executor = executor;
    this.statements = deliveries;
    this.words = words;
  }

  dueReceivers(now: number, isFailing: boolean, limit: number): Awaitable<readonly DueReceiver[]> {
    const bound = allRows(this.statements.dueReceivers, [isFailing ? 1 : 0, now, limit]);
    return this.executor.execute(bound, ({ rows }) =>
      rows.map(([channel, resource, row, failing]) => ({ channel, resource, row, isFailing: failing === 1 })),
    );
  }

  due({ channel, resource, row }: Receiver, now: number, limit: number): Awaitable<readonly DueDelivery[]> {
    const bound = allRows(this.statements.due, [channel, resource, row, now, limit]);
    return this.executor.execute(bound, ({ rows }) => rows.map(dueDelivery));
  }

  nextDue(now: number): Awaitable<number | null> {
    return this.executor.run(nextDue(this.statements, now));
  }

  list(filter: DeliveryFilter, limit: number): Awaitable<readonly DeliveryRow[]> {
    return this.executor.run(browse(listDeliveries(filter, limit, this.words)));
  }

  count(filter: DeliveryFilter, max: number): Awaitable<number> {
    return this.executor.run(browse(countDeliveries(filter, max, this.words)));
  }

  countOpen(max: number): Awaitable<number> {
    return this.executor.execute(firstRow(this.statements.countOpen, [max]), ({ rows: [row] }) =>
      Number(row?.[0] ?? 0),
    );
  }

  receivers(filter: ReceiverFilter, limit: number): Awaitable<readonly ReceiverRow[]> {
    const { text, values, read } = listReceivers(filter, limit, this.words);
    return this.executor.execute(allRows(statement<ReceiverColumns>(text), values), ({ rows }) => read(rows));
  }

  receiver({ channel, resource, row }: Receiver): Awaitable<ReceiverRow | null> {
    const bound = firstRow(this.statements.receiverAsIs, [channel, resource, row]);
    return this.executor.execute(bound, ({ rows: [found] }) => (found ? receiverRow(found) : null));
  }

  attempts(number: number): Awaitable<readonly AttemptRow[]> {
    return this.executor.execute(allRows(this.statements.attempts, [number]), ({ rows }) =>
      rows.map(attemptRow),
    );
  }

  disabled(): Awaitable<readonly DisabledReceiver[]> {
    return this.executor.execute(allRows(this.statements.disabled, []), ({ rows }) =>
      rows.map(([channel, resource, row, revision]) => ({ channel, resource, row, revision })),
    );
  }
}

/** Runs a browsing query on the executor itself, because a write has no other. */
function* browse<T, R extends Row>(browsing: Steps<Browsing<T, R>>): Steps<T> {
  const { text, values, read } = yield* browsing;
  return read(yield* rowsOf(allRows(statement<R>(text), values)));
}

function* nextDue(statements: DeliveryStatements, now: number): Steps<number | null> {
  const times: number[] = [];
  for (const failing of [0, 1]) {
    const [time] = (yield* rowOf(firstRow(statements.nextDue, [failing, now]))) ?? [];
    if (typeof time === "number") times.push(time);
  }
  return times.length === 0 ? null : Math.min(...times);
}

function sequenceOf(event: NewDelivery["event"]): number {
  return typeof event === "number" ? event : nonNull(event.sequences[event.at]);
}

/** Reads and changes deliveries and receivers inside one write. */
export class DeliveryWriter extends DeliveryReader implements Deliveries {
  declare protected readonly executor: WriteExecutor;

  constructor(executor: WriteExecutor, statements: Pick<OwnStatements, "deliveries" | "words">) {
    super(executor, statements);
  }

  add(deliveries: readonly NewDelivery[]): Awaitable<void> {
    if (this.executor.attach?.(deliveries)) return;
    return this.executor.run(this.#add(deliveries));
  }

  noteAttempt(note: AttemptNote, result: AttemptResult): Awaitable<AttemptNote | null> {
    return this.executor.run(noteAttempt(this.statements, note, result));
  }

  giveUpPending(
    receiver: Receiver,
    at: number,
    error: string,
    limit: number,
  ): Awaitable<readonly DueDelivery[]> {
    return this.executor.run(this.#giveUp(receiver, at, error, limit));
  }

  reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Awaitable<ReopenedDeliveries> {
    return this.executor.run(this.#reopen(filter, after, now, limit));
  }

  disable({ resource, row }: Omit<Receiver, "channel">, revision: number): Awaitable<void> {
    return this.executor.execute(change(this.statements.disable, [resource, row, revision]), () => {});
  }

  enable(receiver: Omit<Receiver, "channel">): Awaitable<void> {
    return this.executor.run(this.#enable(receiver));
  }

  setPaused({ resource, row }: Omit<Receiver, "channel">, isPaused: boolean): Awaitable<void> {
    return this.executor.execute(change(this.statements.pause, [resource, row, isPaused ? 1 : 0]), () => {});
  }

  forget(endedBefore: number, limit: number): Awaitable<readonly (number | null)[]> {
    return this.executor.run(this.#forget(endedBefore, limit));
  }

  forgetEvents(sequence: number, time: string, limit: number): Awaitable<number | null> {
    return this.executor.run(this.#deleteEvents(sequence, time, limit));
  }

  *#add(deliveries: readonly NewDelivery[]): Steps<void> {
    for (const delivery of deliveries) {
      const { id, channel, event, resource, row, content, queue, record, createdAt } = delivery;
      const waits = yield* this.#isQueued(delivery);
      const due = waits ? null : createdAt;
      const sequence = sequenceOf(event);
      const values = [id, channel, sequence, resource, row, content, queue, record, due, createdAt];
      yield expected(this.statements.add, values, aboutDeliveries);
      if (waits) continue;
      const received = [channel, resource, row, createdAt, delivery.revision ?? null];
      yield expected(this.statements.receives, received, aboutDeliveries);
    }
  }

  *#giveUp(receiver: Receiver, at: number, error: string, limit: number): Steps<readonly DueDelivery[]> {
    const { channel, resource, row } = receiver;
    const open = (yield* rowsOf(allRows(this.statements.open, [channel, resource, row, limit]))).map(
      dueDelivery,
    );
    for (const { number } of open) yield change(this.statements.giveUp, [at, error, number]);
    yield this.#due([channel, resource, row]);
    return open;
  }

  *#reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Steps<ReopenedDeliveries> {
    const { where, values } = (yield* conditionsOf(filter))
      .add("d.number > ?", after)
      .add("(d.state != 'open' OR d.due_at > ?)", now);
    const text = `SELECT ${deliveryColumns} ${withEvents}${where} ORDER BY d.number ${this.words.limit}`;
    const bound = allRows(statement<DeliveryColumns>(text), [...values, limit]);
    const over = (yield* rowsOf(bound)).map(deliveryRow);
    const receivers = new Map<string, Receiver>();
    for (const item of over) {
      if (item.state === "open") yield change(this.statements.hasten, [now, item.number]);
      // A delivery that waits for others of its queue is due after them. The earliest one of a
      // queue comes first here, and is due now.
      else {
        const due = (yield* this.#isQueued(item)) ? null : now;
        yield change(this.statements.reopen, [due, item.number]);
      }
      receivers.set(`${item.channel} ${item.resource} ${item.row}`, item);
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
    const deleted = yield* rowsOf(changeAndReport(this.statements.forget, [endedBefore, limit]));
    for (const [, number] of deleted)
      yield change(this.statements.forgetAttempts, [number, Number.MAX_SAFE_INTEGER]);
    yield change(this.statements.forgetReceivers, [limit]);
    return deleted.map(([record]) => record);
  }

  *#deleteEvents(sequence: number, time: string, limit: number): Steps<number | null> {
    const rows = yield* rowsOf(allRows(this.statements.olderEvents, [time, sequence, limit]));
    const old = rows.filter(([, isOld]) => isOld === 1);
    const last = old.at(-1)?.[0];
    if (last === undefined) return null;
    yield change(this.statements.forgetEvents, [sequence, last, time]);
    return old.length === rows.length && rows.length === limit ? last : null;
  }

  #due(receiver: readonly (string | number)[]): BoundStatement {
    return change(this.statements.receiverDue, receiver);
  }

  /** Whether other deliveries of its queue are still to be sent. */
  *#isQueued({
    channel,
    resource,
    row,
    queue,
  }: Receiver & { readonly queue: string | null }): Steps<boolean> {
    if (queue === null) return false;
    const { rows } = yield firstRow(this.statements.isQueued, [channel, resource, row, queue]);
    return rows.length > 0;
  }
}

/**
 * Stores the result of an attempt. In PostgreSQL, it also runs outside of serializable transactions,
 * with a lock on the receiver.
 */
export function* noteAttempt(
  statements: DeliveryStatements,
  made: AttemptNote,
  result: AttemptResult,
): Steps<AttemptNote | null> {
  if (made.fence !== undefined) {
    // Another instance has claimed the delivery since; only its result counts.
    const [ours] = (yield changeAndReport(statements.endLease, [made.number, made.fence])).rows;
    if (!ours) return null;
  }
  const [before] = (yield* rowOf(firstRow(statements.state, [made.number]))) ?? [];
  const isGivenUp = before === "dead" && made.state === "open";
  const note: AttemptNote = isGivenUp ? { ...made, state: "dead", dueAt: null } : made;
  const { number, state, at, dueAt, status, error } = note;
  const endedAt = state === "open" ? null : at;
  const values = [state, dueAt, at, endedAt, status, error, number];
  const noted = yield* rowOf(changeAndReport(statements.note, values));
  // The delivery was deleted or erased meanwhile, so there is nothing to store.
  if (!noted) return null;
  yield* reportAttempt(statements, number, result, status, error);
  const [channel, resource, row, queue] = noted;
  const receiver = [channel, resource, row];
  const { throttledUntil, disabledRevision } = note;
  if (state !== "open" && queue !== null) yield change(statements.nextOfQueue, [at, ...receiver, queue]);
  const isFailing = state === "done" ? 0 : 1;
  const stateValues = [...receiver, isFailing, throttledUntil ?? 0, disabledRevision ?? null];
  yield change(statements.receiver, stateValues);
  yield change(statements.receiverDue, receiver);
  return note;
}

function* reportAttempt(
  statements: DeliveryStatements,
  delivery: number,
  result: AttemptResult,
  status: number | null,
  error: string | null,
): Steps<void> {
  const { startedAt, durationMs, answer } = result;
  const values = [delivery, startedAt, durationMs, status, error, answer];
  const [number = 0] = (yield* rowOf(changeAndReport(statements.noteAttempt, values))) ?? [];
  if (number > attemptsKept) yield change(statements.forgetAttempts, [delivery, number - attemptsKept]);
}
