/**
 * Disabled receivers: those that answered 410. They get nothing until their record changes (a new address, a switch
 * turned on again) or the operator enables them. Kept in memory, so that no event queries the store for them.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import type { DisabledReceiver } from "../../store/deliveries.ts";

export interface DisabledReceivers {
  add(resource: string, row: number, revision: number): void;
  remove(resource: string, row: number): void;
  /** Whether the record, as it is at this revision, wants nothing. */
  has(resource: string, row: number, revision: number): boolean;
  /**
   * Takes the state of the store, which other instances may have changed; ignored if the state
   * here changed during the read. Returns whether there are any that were not known.
   */
  reread(read: () => Awaitable<readonly DisabledReceiver[]>): Promise<boolean>;
}

export function createDisabledReceivers(stored: readonly DisabledReceiver[]): DisabledReceivers {
  let revisions = new Map<string, number>();
  let changes = 0;
  const key = (resource: string, row: number) => `${resource} ${row}`;
  for (const { resource, row, revision } of stored) revisions.set(key(resource, row), revision);
  return {
    add(resource, row, revision) {
      changes += 1;
      revisions.set(key(resource, row), revision);
    },
    remove(resource, row) {
      changes += 1;
      revisions.delete(key(resource, row));
    },
    async reread(read) {
      const before = changes;
      const all = await read();
      if (changes !== before) return false;
      const known = revisions;
      revisions = new Map(all.map(({ resource, row, revision }) => [key(resource, row), revision]));
      return [...revisions].some(([name, revision]) => known.get(name) !== revision);
    },
    has: (resource, row, revision) => revisions.size > 0 && revisions.get(key(resource, row)) === revision,
  };
}
