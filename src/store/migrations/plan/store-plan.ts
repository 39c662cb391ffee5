/** The plan of a migration, which the operator reads before it runs. */
import type { StoreMismatch } from "../../errors.ts";

export interface StorePlan {
  /** In the order of execution, up to the first step that can't be planned. */
  readonly steps: readonly PlanStep[];
  /** What prevents the migration. */
  readonly refused: StoreMismatch | undefined;
  /** What doesn't prevent the migration, but may be unintended. */
  readonly warnings: readonly string[];
}

/** The plan of an existing store, after a dry run on a copy of it. */
export interface DryRunPlan extends StorePlan {
  /** The time that the migration of the copy took, including a preceding backup; in milliseconds. */
  readonly ms: number;
  /** The disk space that the migration needs temporarily and that is free, in bytes; null if unknown. */
  readonly room: { readonly needed: number | null; readonly free: number | null };
  /** Whether the store is copied before anything is removed. */
  readonly copiesFirst: boolean;
  /** The path of the backup; null if nothing could be lost, or no backup is made. */
  readonly copy: string | null;
  /**
   * What has the store open: a process of this machine, or the instances of a service. `keepRunning`: they
   * may continue to run during the migration.
   */
  readonly served:
    | { readonly by: number }
    | { readonly instances: number; readonly keepRunning: boolean }
    | undefined;
}

export interface PlanStep {
  /** The stored change, and its line; null for changes of part 2 alone, which lose nothing. */
  readonly name: string | null;
  readonly line: number | null;
  /** Safe: only names and new columns. Convertible: values are converted or removed. */
  readonly kind: "safe" | "convertible";
  readonly lines: readonly PlanLine[];
}

export interface PlanLine {
  readonly text: string;
  readonly isSafe: boolean;
  readonly examples: readonly PlanExample[];
  /** Whether there are more than the examples. */
  readonly hasMore: boolean;
}

export interface PlanExample {
  /** The identifier of the record; before the step, if the record existed. */
  readonly record: string;
  /** In JSON; undefined if there was no value, or will be none. */
  readonly before?: string;
  readonly after?: string;
}
