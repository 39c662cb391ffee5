/**
 * Receivers that have answered 410: they get nothing until their record is changed (a new address, a switch turned on again) or the
 * operator enables them. Known in memory, so that no event has to ask for it.
 */
import type { DisabledReceiver } from "../../store/deliveries.ts";

export interface DisabledReceivers {
  add(resource: string, row: number, revision: number): void;
  remove(resource: string, row: number): void;
  /** Whether the record, as it is at this revision, wants nothing. */
  has(resource: string, row: number, revision: number): boolean;
}

export function createDisabledReceivers(stored: readonly DisabledReceiver[]): DisabledReceivers {
  const revisions = new Map<string, number>();
  const key = (resource: string, row: number) => `${resource} ${row}`;
  for (const { resource, row, revision } of stored) revisions.set(key(resource, row), revision);
  return {
    add: (resource, row, revision) => void revisions.set(key(resource, row), revision),
    remove: (resource, row) => void revisions.delete(key(resource, row)),
    has: (resource, row, revision) => revisions.size > 0 && revisions.get(key(resource, row)) === revision,
  };
}
