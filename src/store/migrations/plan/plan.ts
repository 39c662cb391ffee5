/** What would be done to a store for a document, for people to read before it is done. */
import type { StoreMismatch } from "../../errors.ts";

export interface StorePlan {
  /** In the order in which they would be made; up to what can't be. */
  readonly steps: readonly PlanStep[];
  /** What stands in the way. */
  readonly refused: StoreMismatch | undefined;
  /** What stops nothing, and may not be meant. */
  readonly warnings: readonly string[];
}

/** The same of a store that there is, as a copy of it was changed to find out. */
export interface TriedPlan extends StorePlan {
  /** How long it took there, the copy that comes first counted in; in milliseconds. */
  readonly ms: number;
  /** What is needed of the store's disk for a while and what it has, in bytes; null where nobody can tell. */
  readonly room: { readonly needed: number | null; readonly free: number | null };
  /** Before anything of it goes, the store is copied. */
  readonly copiesFirst: boolean;
  /** Where the store as it was would be kept; null where nothing of it could be missed, or no copy is made. */
  readonly copy: string | null;
  /** Who has the store open: a process of this machine, or instances of a service, which may serve on beside it. */
  readonly served:
    | { readonly by: number }
    | { readonly instances: number; readonly goOn: boolean }
    | undefined;
}

export interface PlanStep {
  /** The stored change, and its line; null of what part two alone asks for, which loses nothing. */
  readonly name: string | null;
  readonly line: number | null;
  /** Safe: names and places alone. Convertible: values become others, or go. */
  readonly kind: "safe" | "convertible";
  readonly lines: readonly PlanLine[];
}

export interface PlanLine {
  readonly text: string;
  readonly isSafe: boolean;
  readonly examples: readonly PlanExample[];
  /** There are more than the examples. */
  readonly hasMore: boolean;
}

export interface PlanExample {
  /** What identifies it; before the step, where it was there. */
  readonly record: string;
  /** In JSON; undefined where there was nothing, or will be nothing. */
  readonly before?: string;
  readonly after?: string;
}
