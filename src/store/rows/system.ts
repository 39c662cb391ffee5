/**
 * The engine's own rows: idempotent responses, the event log, timers, settings and sequences.
 * `SystemTables` describes each.
 */
import { type Awaitable, after } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import type {
  ErasedTraces,
  Commit,
  DueTimer,
  KeptAnswer,
  LoggedEvent,
  LogEnds,
  NewEvent,
  SystemTables,
  Timer,
  Traces,
} from "../store.ts";
import { DeliveryWriter } from "./deliveries.ts";
import { loggedEvent } from "./log.ts";
import {
  type StatementSubject,
  allRows,
  type BoundStatement,
  type Executor,
  change,
  changeAndReport,
  firstRow,
  expected,
  rowOf,
  type Steps,
  type WriteExecutor,
} from "./steps.ts";
import { eraseTraces } from "./traces.ts";
import type { OwnStatements, KeptAnswerColumns, TimerColumns } from "./own-statements.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** Expired responses are deleted each time this number of responses was stored. */
const cleaningEvery = 64;
/** The maximum number of changed records of one resource that a commit lists individually. */
const notedRowsMax = 1000;

/** What all sessions of a store know about timers and stored responses without a query. */
export class SystemState {
  /** The number of stored responses. */
  keptAnswers = 0;
  /**
   * The earliest due time of each resource's timers, or an earlier time. Changes only make it
   * earlier; `SystemReader.learnNextDue` reads the exact times.
   */
  #earliestDue: Map<string, number> | undefined;
  /** The latest time of a lookup. Responses that expired before it may be deleted. */
  latestNow = 0;
  #hasEvents = false;
  #changed = new Map<string, Set<number> | null>();

  noteChange(resource: string, row: number): void {
    const rows = this.#changed.get(resource);
    if (rows === null) return;
    if (!rows) this.#changed.set(resource, new Set([row]));
    else if (rows.size < notedRowsMax) rows.add(row);
    else this.#changed.set(resource, null);
  }

  noteEvents(): void {
    this.#hasEvents = true;
  }

  /** Takes the changes of the open transaction. Some may have been rolled back. */
  takeChanges(): Omit<Commit, "tookMs"> {
    const changes = { hasEvents: this.#hasEvents, changed: this.#changed };
    this.#hasEvents = false;
    if (changes.changed.size > 0) this.#changed = new Map();
    return changes;
  }

  addDue(resource: string, dueAt: number): void {
    if (this.#earliestDue && dueAt < (this.#earliestDue.get(resource) ?? Number.POSITIVE_INFINITY))
      this.#earliestDue.set(resource, dueAt);
  }

  /** False if certainly no timer is due, in one resource or in all. */
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

/** Reads the engine's own rows with the executor of one caller, and sees what it sees. */
export class SystemReader {
  protected readonly executor: Executor;
  protected readonly state: SystemState;
  protected readonly statements: OwnStatements;

  constructor(executor: Executor, state: SystemState, statements: OwnStatements) {
    this.executor = executor;
    this.state = state;
    this.statements = statements;
  }

  setting(name: string): Awaitable<string | null> {
    return this.executor.execute(firstRow(this.statements.system.setting, [name]), ({ rows: [row] }) =>
      row ? row[0] : null,
    );
  }

  idempotent(scope: string, key: string, now: number): Awaitable<KeptAnswer | null> {
    if (now > this.state.latestNow) this.state.latestNow = now;
    const statement = {
      ...firstRow(this.statements.system.idempotent, [scope, key, now]),
      about: keptUnder(scope, key),
    };
    return this.executor.execute(statement, ({ rows: [row] }) => (row ? keptAnswer(row) : null));
  }

  dueTimers(now: number, limit: number, resource?: string, row?: number): Awaitable<readonly DueTimer[]> {
    if (!this.state.mayBeDue(now, resource)) {
      this.executor.recordRead?.(() => !this.state.mayBeDue(now, resource));
      return [];
    }
    const { due, dueOfResource, dueOfRecord } = this.statements.system;
    if (resource === undefined) return this.#timers(allRows(due, [now, limit]));
    if (row === undefined) return this.#timers(allRows(dueOfResource, [now, resource, limit]));
    return this.#timers(allRows(dueOfRecord, [now, resource, row, limit]));
  }

  countDue(now: number, max: number): Awaitable<number> {
    return this.executor.execute(firstRow(this.statements.system.countDue, [now, max]), ({ rows: [row] }) =>
      Number(row?.[0] ?? 0),
    );
  }

  nextDue(): Awaitable<number | null> {
    return this.executor.execute(
      firstRow(this.statements.system.nextDue, []),
      ({ rows: [row] }) => row?.[0] ?? null,
    );
  }

  /** The event log, oldest first. */
  events(): Awaitable<readonly LoggedEvent[]> {
    return this.executor.execute(allRows(this.statements.system.events, []), ({ rows }) =>
      rows.map(loggedEvent),
    );
  }

  eventsAfter(sequence: number, limit: number): Awaitable<readonly LoggedEvent[]> {
    return this.executor.execute(allRows(this.statements.system.eventsAfter, [sequence, limit]), ({ rows }) =>
      rows.map(loggedEvent),
    );
  }

  logSpan(): Awaitable<LogEnds> {
    return this.executor.run(spanOf(this.statements));
  }

  /**
   * Reads the exact due times of all resources. Only valid while no transaction is open and no
   * other process writes, because a rollback could restore a timer.
   */
  learnNextDue(): Awaitable<number | null> {
    return this.executor.run(earliestOf(this.statements, this.state));
  }

  #timers(statement: BoundStatement<TimerColumns>): Awaitable<readonly DueTimer[]> {
    return this.executor.execute(statement, ({ rows }) => rows.map(dueTimer));
  }
}

function* spanOf({ system }: OwnStatements): Steps<LogEnds> {
  const [earliest] = (yield* rowOf(firstRow(system.firstSequence, []))) ?? [];
  const [last] = (yield* rowOf(firstRow(system.lastSequence, []))) ?? [];
  return { first: earliest ?? null, last: last ?? 0 };
}

function* earliestOf({ system }: OwnStatements, state: SystemState): Steps<number | null> {
  const earliest = new Map<string, number>();
  // Continues from resource to resource along the index of all timers.
  let row = yield* rowOf(firstRow(system.firstTimed, [""]));
  while (row) {
    earliest.set(...row);
    row = yield* rowOf(firstRow(system.firstTimed, [row[0]]));
  }
  state.learn(earliest);
  return earliest.size === 0 ? null : Math.min(...earliest.values());
}

function dueTimer([resource, row, transition, end, dueAt, failures]: TimerColumns): DueTimer {
  return { resource, row, transition, end, dueAt, failures };
}

/** Reads and changes the engine's own rows inside one write. */
export class SystemWriter extends SystemReader implements SystemTables {
  readonly deliveries: DeliveryWriter;
  declare protected readonly executor: WriteExecutor;

  constructor(executor: WriteExecutor, state: SystemState, statements: OwnStatements) {
    super(executor, state, statements);
    this.deliveries = new DeliveryWriter(executor, statements);
  }

  keepAnswer(scope: string, key: string, answer: KeptAnswer): Awaitable<void> {
    return this.executor.run(keepAnswer(this.statements, this.state, scope, key, answer));
  }

  appendEvents(events: readonly NewEvent[]): readonly number[] {
    if (events.length > 0) this.state.noteEvents();
    return this.executor.append(events);
  }

  nextSequence(): Awaitable<number> {
    return after(this.executor.lastAppended(), (last) => last + 1);
  }

  setTimer(timer: Timer, dueAt: number | null): Awaitable<void> {
    const key = keyOf(timer);
    if (dueAt === null) return this.#change(expected(this.statements.system.clearTimer, key, ofTimers));
    this.state.addDue(timer.resource, dueAt);
    return this.#change(expected(this.statements.system.setTimer, [...key, dueAt], ofTimers));
  }

  clearTimers(resource: string, row: number): Awaitable<void> {
    return this.#change(expected(this.statements.system.clearTimers, [resource, row], ofTimers));
  }

  postponeTimer(timer: Timer, dueAt: number, failures: number): Awaitable<void> {
    this.state.addDue(timer.resource, dueAt);
    return this.#change(change(this.statements.system.postpone, [dueAt, failures, ...keyOf(timer)]));
  }

  holdTimer(timer: Timer): Awaitable<void> {
    return this.#change(change(this.statements.system.hold, keyOf(timer)));
  }

  wakeTimers(resource: string, row: number, now: number): Awaitable<number> {
    return this.executor.execute(
      changeAndReport(this.statements.system.wake, [now, resource, row]),
      ({ rows: woken }) => {
        for (const [dueAt] of woken) this.state.addDue(resource, dueAt);
        return woken.length;
      },
    );
  }

  wakeAllTimers(resource: string, now: number): Awaitable<void> {
    return this.executor.execute(change(this.statements.system.wakeAll, [now, resource]), ({ changes }) => {
      if (changes > 0) this.state.addDue(resource, now);
    });
  }

  blank(traces: Traces): Awaitable<ErasedTraces> {
    return this.executor.run(eraseTraces(this.statements.traces, traces));
  }

  setSetting(name: string, value: string): Awaitable<void> {
    return this.#change(change(this.statements.system.setSetting, [name, value]));
  }

  next(name: string, within: string): Awaitable<number> {
    return this.executor.execute(
      changeAndReport(this.statements.system.next, [name, within]),
      ({ rows: [row] }) => {
        invariant(row, "a sequence gives its next number");
        return row[0];
      },
    );
  }

  advancePast(name: string, within: string, value: number): Awaitable<void> {
    return this.#change(change(this.statements.system.advancePast, [name, within, value]));
  }

  #change(statement: BoundStatement): Awaitable<void> {
    return this.executor.execute(statement, nothing);
  }
}

function nothing(): void {}

/**
 * No result depends on a timer's row before its write has the lock. The due times in memory are
 * checked again then.
 */
const ofTimers: StatementSubject = { of: "ninefold_timers" };
/** Expired responses, which no request receives any more. */
const ofForgotten: StatementSubject = { of: "ninefold_forgotten" };

function keptUnder(scope: string, key: string): StatementSubject {
  return { of: "ninefold_idempotency", row: JSON.stringify([scope, key]) };
}

function keyOf({ resource, row, transition, end }: Timer): readonly SqlValue[] {
  return [resource, row, transition, end];
}

function keptAnswer([method, path, bodyHash, status, headers, body, until]: KeptAnswerColumns): KeptAnswer {
  return { method, path, bodyHash, status, headers: JSON.parse(headers), body, until };
}

function* keepAnswer(
  { system }: OwnStatements,
  state: SystemState,
  scope: string,
  key: string,
  { method, path, bodyHash, status, headers, body, until }: KeptAnswer,
): Steps<void> {
  const kept = JSON.stringify(headers);
  const values = [scope, key, method, path, bodyHash, status, kept, body, until];
  yield expected(system.keepAnswer, values, keptUnder(scope, key));
  state.keptAnswers += 1;
  if (state.keptAnswers % cleaningEvery === 0) yield expected(system.forget, [state.latestNow], ofForgotten);
}
