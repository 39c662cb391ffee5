/**
 * Log reader: reads the event log once for all streams of a service. New events stay in memory for
 * a while, and each stream takes the events that it has not sent. A stream that is further behind
 * reads the log itself, so a slow reader needs no memory.
 */
import { nonNull } from "../../support/non-null.ts";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { WakeUps } from "../events/wake-ups.ts";
import type { Log } from "../ports.ts";
import { inSlices } from "./in-slices.ts";
import { streamLimits } from "./stream-limits.ts";

export interface LogReader {
  /** Calls back when there are more events. The returned function unsubscribes. */
  join(onMore: () => void): () => void;
  /**
   * Returns the events after a sequence number, oldest first, up to `streamLimits.batchMax`. It may
   * return none although there are some; then it calls `onMore` later.
   */
  after(sequence: number): Awaitable<readonly LoggedEvent[]>;
  /** Whether the log was read up to the end, so that a range without events is empty. */
  readonly isThere: boolean;
  /** Reads new events, in case a wake-up was missed. */
  readNew(): void;
  /** The number of events and bytes in memory. */
  readonly kept: { readonly events: number; readonly bytes: number };
}

type Source = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

export function createLogReader(system: Source, wakeUps: WakeUps, log: Log): LogReader {
  const listeners = new Set<() => void>();
  let recent: LoggedEvent[] = [];
  let bytes = 0;
  /** The sequence number up to which all events have been read; null without a listener. */
  let position: number | null = null;
  let isReading = false;
  let isMore = false;
  let forget: (() => void) | undefined;

  const keep = (events: readonly LoggedEvent[]) => {
    for (const event of events) {
      recent.push(event);
      bytes += sizeOf(event);
    }
    let deletedUpTo = 0;
    while (recent.length - deletedUpTo > streamLimits.recentMax || bytes > streamLimits.recentBytesMax) {
      bytes -= sizeOf(recent[deletedUpTo] as LoggedEvent);
      deletedUpTo += 1;
    }
    if (deletedUpTo > 0) recent = recent.slice(deletedUpTo);
  };
  const clear = () => {
    recent = [];
    bytes = 0;
    position = null;
  };
  /** Reads the events that were stored since the last read, until there are no more. */
  const read = async () => {
    do {
      isMore = false;
      if (position === null) position = (await system.logSpan()).last;
      for (;;) {
        const events = await system.eventsAfter(position, streamLimits.batchMax);
        if (events.length === 0) break;
        position = nonNull(events.at(-1)).sequence;
        keep(events);
      }
    } while (isMore);
  };
  const readNew = () => {
    if (listeners.size === 0) return;
    isMore = true;
    if (isReading) return;
    isReading = true;
    read()
      .catch((error: unknown) => log.error({ error: String(error) }, "the log of events could not be read"))
      .finally(() => {
        isReading = false;
        if (listeners.size === 0) return clear();
        inSlices([...listeners], streamLimits.streamsPerTurn, (listener) => listener());
        // More events may have been announced between the end of the read and this line.
        if (isMore) readNew();
      });
  };

  return {
    join(onMore) {
      listeners.add(onMore);
      forget ??= wakeUps.onEvents(readNew);
      readNew();
      return () => {
        listeners.delete(onMore);
        if (listeners.size > 0) return;
        forget?.();
        forget = undefined;
        if (!isReading) clear();
      };
    },
    after(sequence) {
      if (position === null || sequence >= position) return [];
      const first = recent[0]?.sequence ?? position + 1;
      if (sequence < first - 1) return system.eventsAfter(sequence, streamLimits.batchMax);
      const at = indexAfter(recent, sequence);
      return recent.slice(at, at + streamLimits.batchMax);
    },
    get isThere() {
      return position !== null;
    },
    readNew,
    get kept() {
      return { events: recent.length, bytes };
    },
  };
}

/** Returns the index of the first event after a sequence number. */
function indexAfter(events: readonly LoggedEvent[], sequence: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as LoggedEvent).sequence <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the approximate size of an event in memory, in bytes. */
function sizeOf(event: LoggedEvent): number {
  return event.payload.length + (event.record?.length ?? 0) + 200;
}
