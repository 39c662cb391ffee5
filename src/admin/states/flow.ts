/**
 * How often each transition between states was fired recently, by requests and by time. In memory,
 * from the first access.
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
 * There are as many as the document has ways from state to state, and those from `any` once for
 * each state.
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
