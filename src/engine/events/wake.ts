/**
 * Wakes whoever waits for something new: the sender of deliveries, streams, answers that are held. Called after a commit, at most once
 * a turn of the event loop, however many commits it brings. It only says "look": what there is stands in the store, so that a wake
 * that was missed (another instance, a restart) costs time and no event.
 */
import type { Store } from "../../store/store.ts";
import type { Log } from "../ports.ts";

export interface Wake {
  /** After commits that have stored events. The answer takes the wish back. */
  onEvents(listener: () => void): () => void;
  /** After every commit that has changed anything. The answer takes the wish back. */
  onChanges(listener: () => void): () => void;
  /** Nobody is called any more. */
  stop(): void;
}

export function createWake(store: Pick<Store, "onCommit">, log: Log): Wake {
  const forEvents = new Set<() => void>();
  const forChanges = new Set<() => void>();
  let isWaking = false;
  let hasEvents = false;

  const call = (listeners: ReadonlySet<() => void>) => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        // One that fails must not keep the others asleep.
        log.error({ error: String(error) }, "something that waited for a commit failed");
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
