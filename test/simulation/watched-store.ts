/**
 * A recording store: notes which records each write has created, changed and deleted, and which
 * events it has stored. Together they determine the expected state, and which part of it was
 * acknowledged.
 */
import type { RecordValue } from "../../src/expressions/value.ts";
import { after } from "../../src/support/awaitable.ts";
import type { Binding } from "./chance-port.ts";
import type { DeletedRecord, NewEvent, Store, SystemTables, Transaction } from "../../src/store/store.ts";

/** A record before and after one change of a write. */
export interface Touch {
  readonly resource: string;
  readonly row: number;
  readonly before: RecordValue | null;
  readonly after: RecordValue | null;
}

export interface Write {
  /** The position of the write's last run among all writes. */
  order: number;
  readonly touches: Touch[];
  readonly events: (NewEvent & { readonly sequence: number })[];
  /** The number of its runs. */
  runs: number;
  /** Its caller knows that it was stored. */
  isAcknowledged: boolean;
  /** It was rolled back, and its caller knows. */
  isRefused: boolean;
}

export interface WatchedStore {
  readonly store: Store;
  /** Those that were not rolled back, in order: stored, or with an unknown outcome. */
  writes(): readonly Write[];
  /** Calls without a result yet. */
  readonly waiting: number;
}

/** @param tick called at each call inside a write, and at its end */
export function watchStore(store: Store, tick: () => void, bindingOf: () => Binding): WatchedStore {
  const all: Write[] = [];
  let order = 0;
  let waiting = 0;
  const watched: Store = {
    prepareRecords: store.prepareRecords,
    prepareCount: store.prepareCount,
    prepareCounts: store.prepareCounts,
    prepareShaped: store.prepareShaped,
    prepareValue: store.prepareValue,
    prepareJson: store.prepareJson,
    session: store.session,
    async write(work, options) {
      const write: Write = {
        order: 0,
        touches: [],
        events: [],
        runs: 0,
        isAcknowledged: false,
        isRefused: false,
      };
      all.push(write);
      waiting += 1;
      const binding = bindingOf();
      try {
        const result = await store.write((transaction) => {
          order += 1;
          write.order = order;
          write.runs += 1;
          write.touches.length = 0;
          write.events.length = 0;
          tick();
          return binding.run(() => work(watchTransaction(transaction, write, tick)));
        }, options);
        write.isAcknowledged = true;
        binding.stored();
        return result;
      } catch (error) {
        write.isRefused = true;
        throw error;
      } finally {
        waiting -= 1;
        tick();
      }
    },
    onCommit: (listener) => store.onCommit(listener),
    fits: (model, options) => store.fits(model, options),
    status: () => store.status(),
    isEmpty: () => store.isEmpty(),
    ...(store.snapshot ? { snapshot: () => (store.snapshot as NonNullable<Store["snapshot"]>)() } : {}),
    ...(store.scrub ? { scrub: () => (store.scrub as NonNullable<Store["scrub"]>)() } : {}),
    close: () => store.close(),
  };
  return {
    store: watched,
    writes: () =>
      all.filter((write) => !write.isRefused && write.order > 0).sort((a, b) => a.order - b.order),
    get waiting() {
      return waiting;
    },
  };
}

function watchTransaction(transaction: Transaction, write: Write, tick: () => void): Transaction {
  const gone = (records: readonly DeletedRecord[]) => {
    for (const { resource, before, after: left } of records)
      write.touches.push({ resource, row: before["#row"], before, after: left });
    return records;
  };
  const system = watchSystem(transaction.system, write, tick);
  return {
    records: (query, frame) => transaction.records(query, frame),
    record: (query, frame) => transaction.record(query, frame),
    count: (query, frame) => transaction.count(query, frame),
    counts: (query, frame) => transaction.counts(query, frame),
    shaped: (query, frame) => transaction.shaped(query, frame),
    json: (query, frame) => transaction.json(query, frame),
    value: (query, frame) => transaction.value(query, frame),
    insert(resource, fields) {
      tick();
      return after(transaction.insert(resource, fields), (made) => {
        write.touches.push({ resource, row: made["#row"], before: null, after: made });
        return made;
      });
    },
    update(resource, record, changes) {
      tick();
      return after(transaction.update(resource, record, changes), (made) => {
        write.touches.push({ resource, row: made["#row"], before: record, after: made });
        return made;
      });
    },
    delete(resource, record) {
      tick();
      return after(transaction.delete(resource, record), gone);
    },
    erase(resource, record, restricted) {
      tick();
      return after(transaction.erase(resource, record, restricted), gone);
    },
    next: (name, within) => transaction.next(name, within),
    advancePast: (name, within, value) => transaction.advancePast(name, within, value),
    async part(work) {
      const [touches, events] = [write.touches.length, write.events.length];
      try {
        return await transaction.part(work);
      } catch (error) {
        // The changes of the part are rolled back with it.
        write.touches.length = touches;
        write.events.length = events;
        throw error;
      }
    },
    system,
  };
}

/** Records `appendEvents`; all other calls are passed on. */
function watchSystem(system: SystemTables, write: Write, tick: () => void): SystemTables {
  return new Proxy(system, {
    get(target, name) {
      if (name === "appendEvents")
        return (events: readonly NewEvent[]) => {
          tick();
          return after(target.appendEvents(events), (sequences) => {
            for (const [at, event] of events.entries())
              write.events.push({ ...event, sequence: sequences[at] as number });
            return sequences;
          });
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
