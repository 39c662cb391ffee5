/** States of one running service's records: the number in each, and recent transitions. */
import type { Service } from "../../engine/service.ts";
import { timedJournal } from "../../engine/admin/operator-journal.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { createFlow, type StepFlow } from "./flow.ts";
import { type Counts, Tally } from "./tally.ts";

export interface WatchedStates {
  /** The start of the observation, in milliseconds. */
  readonly sinceMs: number;
  flow(resource: string): readonly StepFlow[];
  /** Null during the first count. */
  counts(resource: string): Promise<Counts | null>;
  known(): ReadonlyMap<string, Counts>;
  /**
   * Calls back after each change, as long as there is a listener; the returned function
   * unsubscribes.
   */
  watch(listener: () => void): () => void;
}

/** Starts with the first access to a service, and stops with the service. */
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
  const tally = new Tally({
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
