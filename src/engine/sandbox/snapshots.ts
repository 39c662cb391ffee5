/** Snapshots of a data space, by name, with a limit that all data spaces of a sandbox share. */
import type { StoreSnapshot } from "../../store/store.ts";
import { sandboxLimits } from "./limits.ts";
import { SandboxRefusal } from "./refusal.ts";
import type { RecordValue } from "../../expressions/value.ts";

/** Records that `as` has named, for the expressions of later `Given` lines. */
export type GivenNames = ReadonlyMap<string, { readonly resource: string; readonly record: RecordValue }>;

export interface Snapshot {
  readonly name: string;
  readonly store: StoreSnapshot;
  /** The time of the clock, in milliseconds since 1970, and whether it was stopped. */
  readonly nowMs: number;
  readonly isStopped: boolean;
  readonly names: GivenNames;
}

/** The bytes that all snapshots of a sandbox use. */
export interface SnapshotBudget {
  bytes: number;
}

export interface Snapshots {
  /**
   * Stores a snapshot, and replaces an existing one of the same name.
   * @throws SandboxRefusal
   */
  keep(snapshot: Snapshot): void;
  /**
   * Returns the snapshot with this name.
   * @throws SandboxRefusal
   */
  named(name: string): Snapshot;
  remove(name: string): void;
  all(): readonly Snapshot[];
  clear(): void;
}

export function createSnapshots(budget: SnapshotBudget): Snapshots {
  const kept = new Map<string, Snapshot>();
  const named = (name: string): Snapshot => {
    const found = kept.get(name);
    if (found) return found;
    const names = [...kept.keys()].join(", ");
    throw new SandboxRefusal(
      404,
      "No such snapshot",
      `There is no snapshot "${name}" in this data space${names === "" ? "; it has none" : `. It has ${names}`}.`,
    );
  };
  const drop = (name: string) => {
    budget.bytes -= kept.get(name)?.store.bytes ?? 0;
    kept.delete(name);
  };
  return {
    keep(snapshot) {
      const { name, store } = snapshot;
      const replaced = kept.get(name)?.store.bytes ?? 0;
      if (!kept.has(name) && kept.size >= sandboxLimits.snapshotsMax)
        throw new SandboxRefusal(
          409,
          "Too many snapshots",
          `A data space keeps ${sandboxLimits.snapshotsMax} snapshots. Remove one, or overwrite an existing one.`,
        );
      if (budget.bytes - replaced + store.bytes > sandboxLimits.snapshotBytesMax)
        throw new SandboxRefusal(
          413,
          "Snapshots too large",
          `All snapshots together would need more than ${sandboxLimits.snapshotBytesMax / 1024 ** 2} MiB of memory. Remove some first.`,
        );
      drop(name);
      kept.set(name, snapshot);
      budget.bytes += store.bytes;
    },
    named,
    remove(name) {
      named(name);
      drop(name);
    },
    all: () => [...kept.values()],
    clear() {
      for (const name of [...kept.keys()]) drop(name);
    },
  };
}
