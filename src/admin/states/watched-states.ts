/**
 * The states of one service's records while it runs: how many are in each, and recent transitions.
 */
import type { Service } from "../../engine/service.ts";
import { timedJournal } from "../../engine/admin/operator-journal.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { createFlow, type StepFlow } from "./flow.ts";
import { type Counts, createTally } from "./tally.ts";

export interface WatchedStates {
  /** Since when moves are noted, in milliseconds. */
  readonly sinceMs: number;
  flow(resource: string): readonly StepFlow[];
  /** Null while they are being counted. */
  counts(resource: string): Promise<Counts | null>;
  known(): ReadonlyMap<string, Counts>;
  /**
   * Calls back when something of it has changed, as long as somebody looks; the returned function
   * unsubscribes.
   */
  watch(listener: () => void): () => void;
}

/** Starts with the first access to a service, and ends with it. */
export const statesOf = memoizeBy((service: Service): WatchedStates => {
  const { context, newFrame } = service.internals;
  timedJournal(service.internals);
  const { ports, store, stateChanges } = context;
  const clock = ports.machine ?? ports.clock;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const flow = createFlow();
  const tally = createTally({
    context,
    newFrame: () => newFrame(ports.clock.now()),
    nowMs: () => clock.now(),
    isWatched: () => listeners.size > 0,
    onChange: notify,
    failed: (resource, error) =>
      ports.log.warn({ resource, error: String(error) }, "records could not be counted by their states"),
  });
  stateChanges.listen(({ changes, transitions }) => {
    const nowMs = clock.now();
    for (const step of transitions) flow.note(step, nowMs);
    tally.note(changes);
    notify();
  });
  store.onCommit(({ changed }) => tally.noteChanged(changed.keys()));
  return {
    sinceMs: clock.now(),
    flow: (resource) => flow.of(resource, clock.now()),
    counts: (resource) => tally.counts(resource),
    known: () => tally.known(),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
});
