/**
 * Wake-ups: notifies the sender of deliveries, streams and held responses of a commit. They run
 * after a commit, at most once per tick of the event loop. A wake-up carries no data, because the
 * store has it. So a missed wake-up (another instance, a restart) costs time and loses no event.
 */
import type { Store } from "../../store/store.ts";
import type { Log } from "../ports.ts";

export interface WakeUps {
  /**
   * Calls the listener after commits that have stored events. The returned function unsubscribes.
   */
  onEvents(listener: () => void): () => void;
  /** Calls the listener after every commit with a change. The returned function unsubscribes. */
  onChanges(listener: () => void): () => void;
  /** Stops all wake-ups. */
  stop(): void;
}

export function createWakeUps(store: Pick<Store, "onCommit">, log: Log): WakeUps {
  const forEvents = new Set<() => void>();
  const forChanges = new Set<() => void>();
  let isWaking = false;
  let hasEvents = false;

  const call = (listeners: ReadonlySet<() => void>) => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        // A failing listener must not prevent the call of the others.
        log.error({ error: String(error) }, "a task that waited for a commit failed");
      }
    }
  };
  const wake = () => {
    isWaking = false;
    const notifiesEvents = hasEvents;
    hasEvents = false;
    if (notifiesEvents) call(forEvents);
    call(forChanges);
  };
  const forget = store.onCommit((commit) => {
    if (forEvents.size === 0 && forChanges.size === 0) return;
    hasEvents ||= commit.hasEvents;
    if (isWaking || (forChanges.size === 0 && !hasEvents)) return;
    isWaking = true;
    setImmediate(wake);
  });
  const adding = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    onEvents: adding(forEvents),
    onChanges: adding(forChanges),
    stop() {
      forget();
      forEvents.clear();
      forChanges.clear();
    },
  };
}
