/**
 * Disabled receivers: receivers that answered 410. They receive no event until their record changes
 * or the operator enables them. Memory holds the list, so that no event queries the store for it.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import type { DisabledReceiver } from "../../store/deliveries.ts";

export interface DisabledReceivers {
  add(resource: string, row: number, revision: number): void;
  remove(resource: string, row: number): void;
  /** Whether the receiver of the record at this revision is disabled. */
  has(resource: string, row: number, revision: number): boolean;
  /**
   * Replaces the list by that of the store, which other instances may have changed. The result is
   * ignored if the list changes during the read. Returns whether the store has receivers that were
   * missing here.
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
