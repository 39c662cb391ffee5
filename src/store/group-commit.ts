/**
 * Group commit: batches concurrent writes into one transaction of the database. They run strictly one after another,
 * and are acknowledged together after its one durable commit.
 *
 * - Each write sees the changes of those before it, and none of those after it. One that throws is rolled back alone.
 * If that rolls back the whole group, its writes run again. Only repeatable writes do: a group with a started write
 * that isn't repeatable never runs again.
 * - Where other instances write at the same time, a group may conflict with one of theirs. Its writes then run again,
 * alone: no group of another instance runs meanwhile. After several conflicts the next groups run alone from the start.
 * A group with a write that isn't repeatable runs alone too.
 * - No write is acknowledged before the commit, not even a failed one: it may have read another's change.
 * - When the commit fails, all writes receive `StoreUnavailable` and nothing is stored.
 * - A write may wait for external work (a handler that calls another service), and all behind it wait too; so its
 * time is limited.
 * - A write inside a write would wait for itself until its time limit; use `Transaction.part`. (Detecting it at once
 * needs an `AsyncLocalStorage`, which costs every write a twentieth of its time.)
 * `Transaction` defines what a write does to the database; this file only defines the order.
 */
import { type Awaitable, after, withRecovery } from "../support/awaitable.ts";
import { StoreUnavailable } from "./errors.ts";
import { type Group, type GroupTransaction, WriteSlot } from "./write-slot.ts";
import { WriteWatch } from "./write-watch.ts";
import type { Commit, WriteOptions } from "./store.ts";
import { machine as systemMachine, type Machine } from "../support/machine.ts";

export interface GroupLimits {
  /** Most writes of one group. */
  readonly writesMax: number;
  /** The time after which a group accepts no further write, in milliseconds. */
  readonly groupMs: number;
  /** The time limit of one write, in milliseconds. */
  readonly writeMs: number;
  /** Maximum number of writes that wait; more get a retryable error. */
  readonly waitingMax: number;
}

/** The callbacks of a store for its groups. */
export interface GroupCallbacks {
  /** The clock that limits groups; absent for the machine's own. */
  readonly machine?: Machine;
  readonly onUnavailable: (error: StoreUnavailable) => void;
  /** The changes of a group's writes, all finished but not yet committed; each is reported once. */
  readonly takeChanges: () => Omit<Commit, "tookMs">;
  /** Called after a group that has, or may have, changed something, when its writes know their results. */
  readonly onCommit: (commit: Commit) => void;
  /** Called before each group. Returns the reason if nothing may be stored. */
  readonly obstacle: () => StoreUnavailable | undefined;
}

const onlyOnce: WriteOptions = {};

export const defaultLimits: GroupLimits = { writesMax: 256, groupMs: 5, writeMs: 10_000, waitingMax: 20_000 };

/**
 * The number of groups after a repeated one that have savepoints from the start, because rejected
 * writes come in bursts.
 */
const savepointGroups = 20;

export const conflictLimits = {
  /** The number of conflicts after which the writes of a group fail. */
  conflictsMax: 5,
  /** The maximum number of groups that run alone after conflicts. The number grows with the conflicts. */
  groupsAloneMax: 31,
} as const;

/** How much longer a group waits for speculative writes, which are nearly finished; in milliseconds. */
const aheadMs = 100;
/**
 * After a group with mostly invalid speculative writes, this many groups run without speculation: their writes use
 * the same records.
 */
const sequentialGroups = 20;

interface Waiting {
  readonly work: (slot: WriteSlot) => Awaitable<unknown>;
  readonly repeatable: boolean;
  readonly isUnlimited: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: unknown };

export class GroupCommit {
  readonly #transaction: GroupTransaction;
  readonly #limits: GroupLimits;
  readonly #around: GroupCallbacks;
  readonly #machine: Machine;
  #waiting: Waiting[] = [];
  /** The number of next groups in which no write starts before it has the lock. */
  #groupsInTurn = 0;
  /** How many of the next groups run alone, and how many would after another conflict. */
  #unsharedGroups = 0;
  #unsharedGroupsNext = 0;
  /** How many of the next groups have savepoints. */
  #carefulGroups = 0;
  #isScheduled = false;
  #lastSize = 0;
  #isOpen = false;
  #closed = false;
  /** Set permanently by an I/O error. */
  #broken: StoreUnavailable | undefined;
  /** The failure of the last group was reported already; only its recovery is reported. */
  #hasReported = false;
  /** The reason why the last lost group was lost. */
  #lost: StoreUnavailable | undefined;
  #betweenGroups: (() => void)[] = [];

  constructor(transaction: GroupTransaction, limits: GroupLimits, around: GroupCallbacks) {
    this.#transaction = transaction;
    this.#limits = limits;
    this.#around = around;
    this.#machine = around.machine ?? systemMachine;
  }

  /** Whether a transaction with uncommitted changes is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why no more writes are accepted; undefined if they are. */
  get broken(): StoreUnavailable | undefined {
    return this.#broken;
  }

  /** Why the next write would not be stored, as far as is known. */
  get obstacle(): StoreUnavailable | undefined {
    return this.#broken ?? this.#around.obstacle() ?? (this.#hasReported ? this.#lost : undefined);
  }

  /** Reports a failure even if no write has met it yet. */
  reportFailure(): void {
    const obstacle = this.#around.obstacle();
    if (!obstacle || this.#hasReported) return;
    this.#hasReported = true;
    this.#around.onUnavailable(obstacle);
  }

  /** Runs `work` when it has the write lock. The promise settles after the commit of its group. */
  write<T>(
    work: (slot: WriteSlot) => Awaitable<T>,
    { repeatable = false, isUnlimited = false }: WriteOptions = onlyOnce,
  ): Promise<T> {
    if (this.#closed)
      return Promise.reject(new StoreUnavailable("The store is closed.", { retryable: false }));
    if (this.#broken) return Promise.reject(this.#broken);
    if (this.#waiting.length >= this.#limits.waitingMax) {
      return Promise.reject(new StoreUnavailable("Too many writes are waiting.", { retryable: true }));
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, repeatable, isUnlimited, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when no transaction is open: for reads if there is only one connection. */
  betweenGroups(): Promise<void> {
    return this.#isOpen ? new Promise((resolve) => this.#betweenGroups.push(resolve)) : Promise.resolve();
  }

  /** Accepts no further writes, and resolves when the queued ones are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#isOpen || this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  // A group starts after the event loop has read all readable sockets, so that it contains all
  // their requests. If these are fewer than in the last group, the clients of that group are about
  // to send their next requests, and one more tick of the loop reads them. A commit costs the same
  // for few writes as for many.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      if (this.#waiting.length >= this.#lastSize) void this.#runGroup(this.#start());
      else setImmediate(() => void this.#runGroup(this.#start()));
    });
  }

  async #runGroup(start: Start): Promise<void> {
    const { group, writes } = start;
    const outcomes = await this.#runWrites(start);
    await this.#awaitResults(group);
    if (group.isMispredicted && group.lost === undefined) {
      // If speculation saves a round trip for each statement, it pays off even when it often fails.
      if (!this.#transaction.pipelinesWrites) this.#carefulGroups = savepointGroups;
      return this.#runAgain(start, outcomes.length, { ...group, isSpeculative: false });
    }
    this.#lastSize = outcomes.length;
    const committedFrom = this.#machine.elapsed();
    const committed = group.lost === undefined ? this.#commit(group) : undefined;
    let next = this.#startBehind(group);
    await committed;
    const commitMs = this.#machine.elapsed() - committedFrom;
    if (group.lost !== undefined && next) {
      await this.#takeBack(next);
      next = undefined;
    }
    if (this.#isConflict(group) && writes.every(({ repeatable }) => repeatable))
      return this.#runAgain(start, outcomes.length, {
        ...group,
        conflicts: group.conflicts + 1,
        isAlone: true,
      });
    const changes = this.#around.takeChanges();
    if (group.lost !== undefined) await this.#giveUp(group.lost);
    else {
      this.#hasReported = false;
      if (!group.isAlone) this.#unsharedGroupsNext = Math.max(0, this.#unsharedGroupsNext - 1);
    }
    this.#isOpen = next !== undefined;
    this.#isScheduled = next !== undefined;
    if (next) void this.#runGroup(next);
    else if (this.#waiting.length > 0) this.#schedule();
    if (!next) for (const resolve of this.#betweenGroups.splice(0)) resolve();
    for (let at = 0; at < outcomes.length; at += 1)
      settle(writes[at] as Waiting, outcomes[at] as Outcome, group.lost);
    if (group.hasChanges && (group.lost === undefined || !group.lost.isKnown))
      this.#around.onCommit({ ...changes, tookMs: commitMs });
  }

  /** Rolls the group back, and runs its writes again. @param reached how many of them it has run */
  async #runAgain(
    { group, writes }: Start,
    reached: number,
    { isSpeculative, isAlone, conflicts }: Pick<Group, "isSpeculative" | "isAlone" | "conflicts">,
  ): Promise<void> {
    if (conflicts > group.conflicts) {
      this.#unsharedGroups = this.#unsharedGroupsNext;
      this.#unsharedGroupsNext = Math.min(this.#unsharedGroupsNext * 2 + 3, conflictLimits.groupsAloneMax);
    }
    const again = this.#newGroup(isSpeculative, isAlone, conflicts);
    if (this.#transaction.isOpen) await this.#go(again, () => this.#transaction.rollback());
    // The new group has all of them, including those that the first group has not reached.
    this.#waiting.splice(0, writes.length - reached);
    return this.#runGroup(this.#startOf(again, writes));
  }

  #isConflict({ lost, conflicts }: Group): boolean {
    return (
      lost !== undefined &&
      conflicts + 1 < conflictLimits.conflictsMax &&
      this.#transaction.isConflict?.(lost.cause) === true
    );
  }

  /** Moves the queued writes to a group, whose transaction starts. */
  #start(): Start {
    const writes = this.#waiting.splice(0, this.#limits.writesMax);
    const isAlone = this.#unsharedGroups > 0 || writes.some(({ repeatable }) => !repeatable);
    const group = this.#newGroup(this.#carefulGroups === 0, isAlone, 0);
    this.#carefulGroups = Math.max(0, this.#carefulGroups - 1);
    this.#unsharedGroups = Math.max(0, this.#unsharedGroups - 1);
    this.#isOpen = true;
    return this.#startOf(group, writes);
  }

  #startOf(group: Group, writes: readonly Waiting[]): Start {
    const started = this.#begin(group);
    return { group, writes, started, ahead: this.#beginAhead(group, writes) };
  }

  /** Writes that arrive during a commit start after it, so that their reads can run meanwhile. */
  #startBehind({ lost }: Group): Start | undefined {
    if (lost !== undefined || this.#waiting.length < 2 || this.#around.obstacle() !== undefined)
      return undefined;
    return this.#transaction.pipelinesWrites ? this.#start() : undefined;
  }

  /**
   * Undoes the start of a group behind a lost one. The group has changed nothing, so its writes
   * return to the queue.
   */
  async #takeBack({ writes, started, ahead }: Start): Promise<void> {
    for (const { slot } of ahead) slot.drop();
    this.#waiting.unshift(...writes);
    await started;
  }

  #begin(group: Group): Awaitable<void> {
    if (group.lost === undefined) return this.#go(group, () => this.#transaction.begin(group.isAlone));
  }

  #newGroup(isSpeculative: boolean, isAlone: boolean, conflicts: number): Group {
    return {
      transaction: this.#transaction,
      hasChanges: false,
      lost: this.#broken ?? this.#around.obstacle(),
      isSpeculative,
      isAlone,
      conflicts,
      isMispredicted: false,
      hasSpeculativeWrites: false,
    };
  }

  /** Waits until all predicted results are confirmed, or the group has failed. */
  async #awaitResults(group: Group): Promise<void> {
    if (!group.isSpeculative || group.isMispredicted || group.lost !== undefined) return;
    await this.#go(group, async () => {
      if ((await this.#transaction.awaitResults?.()) === false) group.isMispredicted = true;
    });
  }

  /** Runs the writes in order until the group's time is over. The remaining writes return to the queue. */
  async #runWrites({ group, writes, started: opening, ahead }: Start): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    const watch = new WriteWatch(this.#limits.writeMs, this.#machine);
    const endsAt = this.#machine.elapsed() + this.#limits.groupMs;
    const lateEnd = endsAt + aheadMs;
    await opening;
    let voids = 0;
    for (const [at, waiting] of writes.entries()) {
      const started = ahead[at];
      // A write that can't be repeated starts only after the results of the earlier ones are
      // confirmed.
      if (!waiting.repeatable && outcomes.length > 0) await this.#awaitResults(group);
      if (group.lost !== undefined) outcomes.push({ ok: false, error: group.lost });
      else if (group.isMispredicted) break;
      else if (outcomes.length > 0 && this.#machine.elapsed() >= (started ? lateEnd : endsAt)) break;
      else if (started?.slot.receiveLock())
        outcomes.push(await runSlowWrite(group, started.slot, watch.bounded(started.running)));
      else {
        started?.slot.drop();
        if (started) voids += 1;
        const outcome = runWrite(group, waiting, watch);
        outcomes.push(outcome instanceof Promise ? await outcome : outcome);
      }
    }
    for (const started of ahead.slice(outcomes.length)) started.slot.drop();
    if (voids * 2 > ahead.length) this.#groupsInTurn = sequentialGroups;
    watch.stop();
    this.#waiting.unshift(...writes.slice(outcomes.length));
    return outcomes;
  }

  /** Starts writes before earlier ones are finished: all up to the first that may run only once. */
  #beginAhead(group: Group, writes: readonly Waiting[]): readonly Started[] {
    this.#groupsInTurn = Math.max(0, this.#groupsInTurn - 1);
    const isWorthwhile = writes.length > 1 && this.#groupsInTurn === 0;
    const { pipelinesWrites } = this.#transaction;
    if (!pipelinesWrites || !isWorthwhile || !group.isSpeculative || group.lost !== undefined) return [];
    group.hasSpeculativeWrites = true;
    const end = writes.findIndex(({ repeatable, isUnlimited }) => !repeatable || isUnlimited);
    return (end < 0 ? writes : writes.slice(0, end)).map((waiting) => beginAhead(group, waiting));
  }

  #go(group: Group, step: () => Awaitable<void>): Awaitable<void> {
    return withRecovery(step, (error) => {
      group.lost = this.#transaction.asUnavailable(error);
    });
  }

  #commit(group: Group): Awaitable<void> {
    const transaction = this.#transaction;
    return withRecovery(
      () => transaction.commit(),
      (error) => {
        group.lost = transaction.asCommitFailure?.(error) ?? transaction.asUnavailable(error);
      },
    );
  }

  async #giveUp(error: StoreUnavailable): Promise<void> {
    this.#lost = error;
    if (!error.retryable) this.#broken = error;
    try {
      if (this.#transaction.isOpen) await this.#transaction.rollback();
    } catch (error) {
      this.#broken = this.#transaction.asUnavailable(error);
    }
    if (!this.#hasReported) this.#around.onUnavailable(error);
    this.#hasReported = true;
  }
}

function settle(waiting: Waiting, outcome: Outcome, error: StoreUnavailable | undefined): void {
  if (error !== undefined) waiting.reject(error);
  else if (outcome.ok) waiting.resolve(outcome.result as never);
  else waiting.reject(outcome.error);
}

/** A started group. */
interface Start {
  readonly group: Group;
  /** Its writes, and perhaps more than it reaches. */
  readonly writes: readonly Waiting[];
  /** Its transaction is open, or the group is lost. */
  readonly started: Awaitable<void>;
  /** The first of its writes that started speculatively. */
  readonly ahead: readonly Started[];
}

/** A speculative write: it started before it got the write lock. */
interface Started {
  readonly slot: WriteSlot;
  readonly running: Promise<unknown>;
}

function beginAhead(group: Group, waiting: Waiting): Started {
  const slot = new WriteSlot(group, false);
  const running = new Promise<unknown>((resolve) => resolve(waiting.work(slot)));
  // The result of a restarted write's first run is discarded.
  running.catch(() => {});
  return { slot, running };
}

/** Runs synchronously if the work is synchronous: nearly all works use only the database. */
function runWrite(group: Group, waiting: Waiting, watch: WriteWatch): Awaitable<Outcome> {
  if (!waiting.repeatable) group.isSpeculative = false;
  const slot = new WriteSlot(group);
  try {
    const result = waiting.work(slot);
    if (result instanceof Promise)
      return runSlowWrite(group, slot, waiting.isUnlimited ? watch.unbounded(result) : watch.bounded(result));
    return after(slot.keep(), () => ({ ok: true, result }));
  } catch (error) {
    return undone(group, slot, error);
  }
}

async function runSlowWrite(group: Group, slot: WriteSlot, running: Promise<unknown>): Promise<Outcome> {
  try {
    const result = await running;
    await slot.keep();
    return { ok: true, result };
  } catch (error) {
    return undone(group, slot, error);
  }
}

function undone(group: Group, slot: WriteSlot, error: unknown): Awaitable<Outcome> {
  const undoing = withRecovery(
    () => slot.undo(),
    (failure) => {
      group.lost ??= group.transaction.asUnavailable(failure);
    },
  );
  return after(undoing, () => ({ ok: false, error }));
}
