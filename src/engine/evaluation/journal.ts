/**
 * What one transaction has done so far: each record as it was and as it is, and what happened to it, in order. Events, timers,
 * `Always` and the refreshing of records at hand read it.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";

export interface TouchedRecord {
  readonly resource: string;
  readonly row: number;
  /** Before the transaction; null when it was made in it. */
  readonly before: RecordValue | null;
  /** Now; null when it was deleted. */
  after: RecordValue | null;
}

export interface Occurrence {
  readonly kind: "created" | "updated" | "deleted" | "transition" | "sent";
  readonly touched: TouchedRecord;
  /** The transition's or the sent event's name. */
  readonly name: string | undefined;
  /** The record as it was before this happened. */
  readonly old: RecordValue | null;
  /** The record as this left it; null when it was deleted. */
  readonly now: RecordValue | null;
  readonly caller: Value;
}

/** A changed record whose `Fails` are still to be asked. */
export interface DeferredFails {
  readonly resource: string;
  readonly row: number;
  /** The inputs that it was changed with, for the value that is blamed. */
  readonly body: Value;
}

const noneDeferred: readonly DeferredFails[] = [];
const noEvents: readonly number[] = [];
/** Up to so many touched records are looked through one by one. */
const linearSearchMax = 8;

/** A class, for every write makes one: its methods are shared, and its maps are made where they are needed. */
export class Journal {
  readonly occurrences: Occurrence[] = [];
  /** Each record that was touched, in the order in which that was done. */
  readonly touched: TouchedRecord[] = [];
  /** The sequences of the events that tell of it, once they are stored. */
  events: readonly number[] = noEvents;
  /** How many transitions are on their way, each started by the effects of the one before. */
  depth = 0;
  #index: Map<string, TouchedRecord> | undefined;
  #deferred: Map<string, DeferredFails> | undefined;
  #changes = 0;

  /** Number of changes so far, to see whether anything has changed since. */
  get changes(): number {
    return this.#changes;
  }

  note(
    kind: Occurrence["kind"],
    resource: string,
    old: RecordValue | null,
    now: RecordValue | null,
    caller: Value,
    name?: string,
  ): void {
    this.#changes += 1;
    const row = (now ?? old)?.["#row"] ?? 0;
    let entry = this.#find(resource, row);
    if (entry) entry.after = now;
    else {
      entry = { resource, row, before: kind === "created" ? null : old, after: now };
      this.touched.push(entry);
      this.#index?.set(`${resource}#${row}`, entry);
    }
    this.occurrences.push({ kind, touched: entry, old, now, caller, name });
  }

  /** To ask its `Fails` in the end: a record may break them between two changes of one transaction, not after the last. */
  deferFails(deferred: DeferredFails): void {
    this.#deferred ??= new Map();
    this.#deferred.set(`${deferred.resource}#${deferred.row}`, deferred);
  }

  /** What is owed, which is then no longer. */
  takeDeferredFails(): readonly DeferredFails[] {
    if (!this.#deferred) return noneDeferred;
    const all = [...this.#deferred.values()];
    this.#deferred = undefined;
    return all;
  }

  /** The record as it was before the transaction; null where it was made in it, or never touched. */
  before(resource: string, row: number): RecordValue | null {
    return this.#find(resource, row)?.before ?? null;
  }

  /** The record as it is now, where this transaction has touched it; undefined where it hasn't. */
  latest(resource: string, row: number): RecordValue | null | undefined {
    return this.#find(resource, row)?.after;
  }

  /** Most transactions touch one record or two; where they are many, they are found by an index. */
  #find(resource: string, row: number): TouchedRecord | undefined {
    if (this.touched.length > linearSearchMax) {
      this.#index ??= new Map(this.touched.map((one) => [`${one.resource}#${one.row}`, one]));
      return this.#index.get(`${resource}#${row}`);
    }
    for (const one of this.touched) if (one.row === row && one.resource === resource) return one;
    return undefined;
  }
}

export function createJournal(): Journal {
  return new Journal();
}
