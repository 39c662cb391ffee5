/**
 * Transaction journal: the previous and the current state of each changed record, and the
 * occurrences of the transaction in order. Events, timed transitions, `Always` and the refresh of
 * context records read it.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";

export interface TouchedRecord {
  readonly resource: string;
  readonly row: number;
  /** The record before the transaction; null if the transaction created it. */
  readonly before: RecordValue | null;
  /** The current record; null if the transaction deleted it. */
  after: RecordValue | null;
}

export interface Occurrence {
  readonly kind: "created" | "updated" | "deleted" | "transition" | "sent";
  readonly touched: TouchedRecord;
  /** The name of the transition or of the sent event. */
  readonly name: string | undefined;
  /** The record before the occurrence. */
  readonly old: RecordValue | null;
  /** The record after the occurrence; null if it was deleted. */
  readonly now: RecordValue | null;
  readonly caller: Value;
}

/** A changed record whose `Fails` conditions are evaluated at the end of the transaction. */
export interface DeferredFails {
  readonly resource: string;
  readonly row: number;
  /** The inputs of the change, which an error message may include. */
  readonly body: Value;
}

const noneDeferred: readonly DeferredFails[] = [];
const noEvents: readonly number[] = [];
/** Up to this number of touched records, a lookup scans them. */
const linearSearchMax = 8;

/**
 * The journal of one transaction. It is a class because every write creates a journal: instances
 * share their methods, and create their maps on demand.
 */
export class Journal {
  readonly occurrences: Occurrence[] = [];
  /** The touched records, in the order of their first change. */
  readonly touched: TouchedRecord[] = [];
  #events: (readonly number[])[] | undefined;
  /** The nesting depth of transitions that effects have started. */
  depth = 0;
  #index: Map<string, TouchedRecord> | undefined;
  #deferred: Map<string, DeferredFails> | undefined;
  #changes = 0;

  /** The number of changes so far. A reader compares it with an earlier number. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * The sequence numbers of the transaction's stored events. They are known when the transaction is
   * stored.
   */
  get events(): readonly number[] {
    return this.#events?.flat() ?? noEvents;
  }

  /** @param sequences an array that is filled when the transaction is stored */
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
   * Defers the record's `Fails` conditions to the end of the transaction. A record may violate them
   * between two changes, but not after the last.
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

  /**
   * Returns the record before the transaction; null if the transaction created it or never touched
   * it.
   */
  before(resource: string, row: number): RecordValue | null {
    return this.#find(resource, row)?.before ?? null;
  }

  /**
   * Returns the record's current value; undefined if this transaction has not touched the record.
   */
  latest(resource: string, row: number): RecordValue | null | undefined {
    return this.#find(resource, row)?.after;
  }

  /**
   * Finds a touched record. Most transactions touch one or two records; larger ones use an index.
   */
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
