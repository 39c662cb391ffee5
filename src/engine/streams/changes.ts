/**
 * Change notifications: notifies watchers of records and resources about commits. The stale flag is
 * set before any reader can read what the commit stored. The call follows later, once for all
 * commits in a tick of the event loop.
 */
import type { Commit, Store } from "../../store/store.ts";
import type { Log } from "../ports.ts";
import type { WatchedRows } from "./reads.ts";

export interface Watch {
  /**
   * Whether a watched record or resource has changed since `markRead`. True before the first `markRead`.
   */
  readonly isStale: boolean;
  /** Clears the stale flag. Call it before reading. */
  markRead(): void;
  /** Replaces the watched records and resources. */
  become(watched: WatchedRows): void;
  stop(): void;
}

export interface Changes {
  watch(watched: WatchedRows, onChange: () => void): Watch;
  stop(): void;
}

interface Entry {
  watched: WatchedRows;
  isStale: boolean;
  readonly onChange: () => void;
}

export function createChanges(store: Pick<Store, "onCommit">, log: Log): Changes {
  const byRow = new Map<string, Set<Entry>>();
  const byResource = new Map<string, Set<Entry>>();
  let woken = new Set<Entry>();

  const wakeListeners = () => {
    const entries = woken;
    woken = new Set();
    for (const entry of entries) {
      try {
        entry.onChange();
      } catch (error) {
        log.error({ error: String(error) }, "a task that waited for a change failed");
      }
    }
  };
  const notify = (entries: ReadonlySet<Entry> | undefined) => {
    for (const entry of entries ?? []) {
      entry.isStale = true;
      if (woken.add(entry).size === 1) setImmediate(wakeListeners);
    }
  };
  const notifyOf = ({ changed }: Commit) => {
    if (byRow.size === 0 && byResource.size === 0) return;
    for (const [resource, rows] of changed) {
      notify(byResource.get(resource));
      if (rows) for (const row of rows) notify(byRow.get(keyOf(resource, row)));
      else for (const [key, entries] of byRow) if (key.startsWith(`${resource}#`)) notify(entries);
    }
  };
  const forget = store.onCommit(notifyOf);

  const enter = (entry: Entry) => {
    for (const { resource, row } of entry.watched.rows) addTo(byRow, keyOf(resource, row), entry);
    for (const resource of entry.watched.resources) addTo(byResource, resource, entry);
  };
  const leave = (entry: Entry) => {
    for (const { resource, row } of entry.watched.rows) takeFrom(byRow, keyOf(resource, row), entry);
    for (const resource of entry.watched.resources) takeFrom(byResource, resource, entry);
  };
  return {
    watch(watched, onChange) {
      const entry: Entry = { watched, isStale: true, onChange };
      enter(entry);
      return {
        get isStale() {
          return entry.isStale;
        },
        markRead() {
          entry.isStale = false;
        },
        become(next) {
          leave(entry);
          entry.watched = next;
          enter(entry);
        },
        stop() {
          leave(entry);
          woken.delete(entry);
        },
      };
    },
    stop() {
      forget();
      byRow.clear();
      byResource.clear();
      woken.clear();
    },
  };
}

function keyOf(resource: string, row: number): string {
  return `${resource}#${row}`;
}

function addTo(map: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const entries = map.get(key);
  if (entries) entries.add(entry);
  else map.set(key, new Set([entry]));
}

function takeFrom(map: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const entries = map.get(key);
  entries?.delete(entry);
  if (entries?.size === 0) map.delete(key);
}
