/**
 * Transition flow: how often each transition between states fired recently, by requests and by
 * time. It is counted in memory, from the first access.
 */
import type { FiredTransition } from "../../engine/records/state-changes.ts";
import { createRecentCount, type RecentCount } from "./recent-count.ts";

export interface StepFlow extends Omit<FiredTransition, "resource"> {
  readonly minute: number;
  readonly hour: number;
}

export interface Flow {
  note(step: FiredTransition, nowMs: number): void;
  of(resource: string, nowMs: number): readonly StepFlow[];
}

/**
 * The maximum number of counters. A document has one for each transition and origin, and a
 * transition from `any` has one for each state.
 */
const entriesMax = 10_000;

export function createFlow(): Flow {
  const entries = new Map<
    string,
    Map<string, { readonly step: FiredTransition; readonly count: RecentCount }>
  >();
  let size = 0;
  return {
    note(step, nowMs) {
      const ofResource = entries.get(step.resource) ?? new Map();
      entries.set(step.resource, ofResource);
      const key = JSON.stringify([step.transition, step.from, step.to]);
      let entry = ofResource.get(key);
      if (!entry) {
        if (size >= entriesMax) return;
        size += 1;
        entry = { step, count: createRecentCount() };
        ofResource.set(key, entry);
      }
      entry.count.add(nowMs);
    },
    of(resource, nowMs) {
      return [...(entries.get(resource)?.values() ?? [])].map(
        ({ step: { transition, from, to }, count }) => ({
          transition,
          from,
          to,
          ...count.within(nowMs),
        }),
      );
    },
  };
}
