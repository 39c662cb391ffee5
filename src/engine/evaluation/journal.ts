/**
 * Transaction journal: each changed record before and after, and what happened to it, in order.
 * Events, timers, `Always` and the refresh of context records read it.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";

export interface TouchedRecord {
  readonly resource: string;
  readonly row: number;
  /** Before the transaction; null if it was created in it. */
  readonly before: RecordValue | null;
  /** The current value; null if it was deleted. */
  after: RecordValue | null;
}

export interface Occurrence {
  readonly kind: "created" | "updated" | "deleted" | "transition" | "sent";
  readonly touched: TouchedRecord;
  /** The transition's or the sent event's name. */
  readonly name: string | undefined;
  /** The record as it was before this happened. */
  readonly old: RecordValue | null;
  /** The record after the occurrence; null if it was deleted. */
  readonly now: RecordValue | null;
  readonly caller: Value;
}

/** A changed record whose `Fails` are evaluated at the end of the transaction. */
export interface DeferredFails {
  readonly resource: string;
  readonly row: number;
  /** The inputs of the change, for the reported value. */
  readonly body: Value;
}

const noneDeferred: readonly DeferredFails[] = [];
const noEvents: readonly number[] = [];
/** Up to this number of touched records, lookups search linearly. */
const linearSearchMax = 8;

/**
 * A class, because every write creates one: its methods are shared, and its maps are created on
 * demand.
 */
export class Journal {
  readonly occurrences: Occurrence[] = [];
  /** Each touched record, in the order of the first change. */
  readonly touched: TouchedRecord[] = [];
  #events: (readonly number[])[] | undefined;
  /** The nesting depth of transitions that effects have started. */
  depth = 0;
  #index: Map<string, TouchedRecord> | undefined;
  #deferred: Map<string, DeferredFails> | undefined;
  #changes = 0;

  /** Number of changes so far, to see whether anything has changed since. */
  get changes(): number {
    return this.#changes;
  }

  /** The sequences of the stored events about it: known when the transaction is stored. */
  get events(): readonly number[] {
    return this.#events?.flat() ?? noEvents;
  }

  /** @param sequences filled when the transaction is stored */
  noteEvents(sequences: readonly number[]): void {
    this.#events ??= [];
    this.#events.push(sequences);
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

  /**
   * Defers the record's `Fails` to the end: a record may violate them between two changes of one
   * transaction, but not after the last.
   */
  deferFails(deferred: DeferredFails): void {
    this.#deferred ??= new Map();
    this.#deferred.set(`${deferred.resource}#${deferred.row}`, deferred);
  }

  /** Returns the deferred records and clears the list. */
  takeDeferredFails(): readonly DeferredFails[] {
    if (!this.#deferred) return noneDeferred;
    const all = [...this.#deferred.values()];
    this.#deferred = undefined;
    return all;
  }

  /** The record before the transaction; null if it was created in it or never touched. */
  before(resource: string, row: number): RecordValue | null {
    return this.#find(resource, row)?.before ?? null;
  }

  /** The record's current value if this transaction has touched it; otherwise undefined. */
  latest(resource: string, row: number): RecordValue | null | undefined {
    return this.#find(resource, row)?.after;
  }

  /** Most transactions touch one or two records; larger ones use an index. */
  #find(resource: string, row: number): TouchedRecord | undefined {
    if (this.touched.length > linearSearchMax) {
      this.#index ??= new Map(
        this.touched.map((touchedRecord) => [
          `${touchedRecord.resource}#${touchedRecord.row}`,
          touchedRecord,
        ]),
      );
      return this.#index.get(`${resource}#${row}`);
    }
    for (const touchedRecord of this.touched)
      if (touchedRecord.row === row && touchedRecord.resource === resource) return touchedRecord;
    return undefined;
  }
}

export function createJournal(): Journal {
  return new Journal();
}
