/**
 * Which states records leave and come to, told when it is committed: of what requests have changed and of what time has brought. It costs
 * nothing while nobody listens. What else changes records (an operator's hand, a seed) is not told here: whoever counts counts again when a
 * commit says that something has changed.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Journal } from "../evaluation/journal.ts";
import type { ResourcePlan } from "./resource-plan.ts";

/** A record that is in another state than before, or was made or deleted. */
export interface Move {
  readonly resource: string;
  /** Null where it was made. */
  readonly from: string | null;
  /** Null where it was deleted. */
  readonly to: string | null;
}

/** A transition that was taken; of resources without a state field the states are null. */
export interface Step extends Move {
  readonly transition: string;
}

export interface ToldMoves {
  /** One for each record whose state is another one now. */
  readonly moves: readonly Move[];
  /** One for each transition that was taken, in order. */
  readonly steps: readonly Step[];
}

export interface Moves {
  listen(listener: (told: ToldMoves) => void): () => void;
  readonly isHeard: boolean;
  /** Of transactions that are committed. */
  tell(journals: readonly Journal[]): void;
}

export function createMoves(resource: (name: string) => ResourcePlan): Moves {
  const listeners = new Set<(told: ToldMoves) => void>();
  const stateOf = (name: string, record: RecordValue | null): string | null => {
    const field = resource(name).machine?.field;
    const state = record && field !== undefined && record["#deleted"] !== true ? record[field] : null;
    return typeof state === "string" ? state : null;
  };
  const told = (journals: readonly Journal[]): ToldMoves => {
    const moves: Move[] = [];
    const steps: Step[] = [];
    for (const { touched, happenings } of journals) {
      for (const { resource, before, after } of touched) {
        const [from, to] = [stateOf(resource, before), stateOf(resource, after)];
        if (from !== to) moves.push({ resource, from, to });
      }
      for (const { kind, name, touched, old, now } of happenings) {
        if (kind !== "transition" || name === undefined) continue;
        const { resource } = touched;
        steps.push({ resource, transition: name, from: stateOf(resource, old), to: stateOf(resource, now) });
      }
    }
    return { moves, steps };
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get isHeard() {
      return listeners.size > 0;
    },
    tell(journals) {
      if (listeners.size === 0) return;
      const all = told(journals);
      if (all.moves.length + all.steps.length === 0) return;
      for (const listener of listeners) listener(all);
    },
  };
}
