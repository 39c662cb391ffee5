/** What would be done to a store for a document, for people to read before it is done. */
import type { StoreMismatch } from "../errors.ts";

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
  readonly room: { readonly needed: number; readonly free: number | null };
  /** Where the store as it was would be kept; null where nothing of it could be missed. */
  readonly copy: string | null;
  /** The process that has the store open. */
  readonly servedBy: number | undefined;
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
