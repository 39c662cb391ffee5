/**
 * Write slots: a write's access to the transaction of its group. The slot decides when the write
 * may do what, and rejects all statements once the write is finished. On a database that responds
 * later, a write may start before those in front of it are finished
 * (`GroupTransaction.pipelinesWrites`). Its reads are sent meanwhile, and its changes are held
 * back. When it gets the lock, all that it has read must still be valid; otherwise it restarts. So
 * writes run as if one after another, and a group waits for results only as often as its longest
 * write does.
 */
import { type Awaitable, after } from "../support/awaitable.ts";
import { Fault } from "../support/invariant.ts";
import { StoreUnavailable } from "./errors.ts";

/** The transactions of groups, one at a time, on the write connection. */
export interface GroupTransaction {
  /** @param isAlone no group of another instance may run meanwhile */
  begin(isAlone: boolean): Awaitable<void>;
  commit(): Awaitable<void>;
  rollback(): Awaitable<void>;
  /** Sets a savepoint: from now on, parts can be rolled back to it, one at a time. */
  mark(): Awaitable<void>;
  takeBack(): Awaitable<void>;
  release(): Awaitable<void>;
  /** Whether it is open, so that the database continues it or waits for its end. */
  readonly isOpen: boolean;
  /** Whether a failed statement rolls back the whole transaction, back to the last savepoint. */
  readonly failsWhole: boolean;
  /**
   * Whether writes of a speculative group start before earlier ones are finished, and send changes
   * without awaiting results.
   */
  readonly pipelinesWrites?: boolean;
  /** Awaits all results. Returns false if one differed from its prediction. */
  awaitResults?(): Awaitable<boolean>;
  /** Whether the whole transaction can't continue, whichever statement failed. */
  isFatal(error: unknown): boolean;
  /**
   * Whether the transaction conflicts with another instance: the same writes may succeed when they
   * run again.
   */
  isConflict?(error: unknown): boolean;
  /** The error that all writes of a group receive. */
  asUnavailable(error: unknown): StoreUnavailable;
  /** Like `asUnavailable`, for a failed commit, whose errors may have another meaning. */
  asCommitFailure?(error: unknown): StoreUnavailable;
}

/**
 * The access of one write to the open transaction. Checked before every change, and closed when the
 * write is finished.
 */
export class WriteSlot {
  readonly #group: Group;
  /** Its group was speculative when it started: see `Group.isSpeculative`. */
  readonly isSpeculative: boolean;
  #hasLock: boolean;
  #isVoid = false;
  #ended = false;
  #isMarked = false;
  #hasFailed = false;
  hasChanged = false;
  /** Whether some of its changes have a predicted result that the database may still reject. */
  hasExpected = false;
  /** Whether everything that it read before it had the lock is still valid. */
  readonly #reads: (() => boolean)[] = [];
  #arrival: PromiseWithResolvers<void> | undefined;
  /** The work that remains when the write is finished. */
  #atEnd: (() => void) | undefined;

  /** @param hasLock whether all earlier writes are finished */
  constructor(group: Group, hasLock = true) {
    this.#group = group;
    this.isSpeculative = group.isSpeculative;
    this.#hasLock = hasLock;
  }

  get hasLock(): boolean {
    return this.#hasLock;
  }

  /** Records what a write has read before it had the lock. */
  recordRead(isStillValid: () => boolean): void {
    if (!this.#hasLock) this.#reads.push(isStillValid);
  }

  /** Resolves when all writes before it are finished, and what it read is still valid. */
  locked(): Awaitable<void> {
    this.check();
    if (this.#hasLock) return;
    this.#arrival ??= Promise.withResolvers();
    return this.#arrival.promise;
  }

  /** Gives the write the lock. Returns false if the write has to restart with a new slot. */
  receiveLock(): boolean {
    if (!this.#reads.every((isStillValid) => isStillValid())) return false;
    this.#hasLock = true;
    this.#arrival?.resolve();
    return true;
  }

  /** Ends the slot: the write restarts, or moves to another group. */
  drop(): void {
    this.#isVoid = true;
    this.#ended = true;
    this.#arrival?.promise.catch(() => {});
    this.#arrival?.reject(restarted());
  }

  atEnd(step: () => void): void {
    this.#atEnd = step;
  }

  /** Called before every read and change: a finished write, or one whose group failed, may do nothing more. */
  check(): void {
    if (this.#isVoid) throw restarted();
    if (this.#ended) throw new Fault("a transaction was used after its write had ended");
    if (this.#group.lost !== undefined) throw this.#group.lost;
  }

  /** Whether the write is still running, and its group can continue. */
  get isRunning(): boolean {
    return !this.#ended && this.#group.lost === undefined;
  }

  /** Called before every read. */
  beforeRead(): Awaitable<void> {
    this.check();
    if (this.#group.transaction.failsWhole) return this.#mark();
  }

  /**
   * Called before every change. If earlier writes of the group have changed something, a savepoint
   * keeps their changes when this one is rolled back. The first write that changes anything needs
   * none, since the whole transaction is its own.
   */
  beforeChange(): Awaitable<void> {
    this.check();
    if (this.hasChanged) return;
    this.hasChanged = true;
    return this.#mark();
  }

  #mark(): Awaitable<void> {
    if (this.#isMarked || !this.#group.hasChanges || this.#group.isSpeculative) return;
    this.#isMarked = true;
    return this.#group.transaction.mark();
  }

  /**
   * Called with every error of a statement, because some of them end the whole transaction.
   * @param isApart whether the failed part can be rolled back by itself
   */
  failed(error: unknown, isApart = false): void {
    const { transaction, isMispredicted } = this.#group;
    this.#hasFailed = true;
    // Repeated work isn't lost when a group is rolled back: results of statements that were sent
    // before arrive late.
    if (transaction.isFatal(error) || !(transaction.isOpen || isMispredicted))
      this.#group.lost ??= transaction.asUnavailable(error);
    else if (this.isSpeculative && this.#group.hasSpeculativeWrites && !isApart)
      this.#group.isMispredicted = true;
  }

  /**
   * Called if a statement that was sent without waiting has failed. Its error is known when the
   * group is repeated.
   */
  failedUnseen(): void {
    if (this.isSpeculative) this.#group.isMispredicted = true;
  }

  keep(): Awaitable<void> {
    this.#atEnd?.();
    this.#ended = true;
    if (this.hasChanged) this.#group.hasChanges = true;
    if (this.#isMarked) return this.#group.transaction.release();
  }

  undo(): Awaitable<void> {
    this.#ended = true;
    const { lost, isSpeculative, hasChanges, transaction } = this.#group;
    if (lost !== undefined) return;
    if (this.#isMarked) return after(transaction.takeBack(), () => transaction.release());
    const isUnchanged = !this.hasChanged && !(this.#hasFailed && transaction.failsWhole);
    // Its rejection may follow from a statement that the database rejects.
    if (isUnchanged && !(isSpeculative && this.hasExpected)) return;
    // Speculative writes after it have read its changes.
    if (
      isSpeculative &&
      (this.hasExpected || hasChanges || this.#group.hasSpeculativeWrites || this.#group.isMispredicted)
    ) {
      this.#group.isMispredicted = true;
      return;
    }
    return after(transaction.rollback(), () => transaction.begin(this.#group.isAlone));
  }
}

export interface Group {
  readonly transaction: GroupTransaction;
  hasChanges: boolean;
  /**
   * Whether writes run without savepoints. Nearly no write is rolled back after a change, and
   * savepoints cost every write a tenth of its time. If one is rolled back nevertheless, the whole
   * group is, and all its writes run again with savepoints. So speculation ends at the first write
   * that can't be repeated.
   */
  isSpeculative: boolean;
  isMispredicted: boolean;
  /** Whether no group of another instance runs meanwhile. */
  readonly isAlone: boolean;
  /** The number of conflicts of its writes with those of other instances. */
  readonly conflicts: number;
  /** Whether some of its writes started speculatively. */
  hasSpeculativeWrites: boolean;
  /** Why the transaction can't continue. */
  lost: StoreUnavailable | undefined;
}

/** The error inside a speculative write that restarts. No other caller receives it. */
function restarted(): StoreUnavailable {
  return new StoreUnavailable("The write is retried.", { retryable: true });
}
