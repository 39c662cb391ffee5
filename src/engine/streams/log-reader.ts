/**
 * Reads the event log once for all streams of a service: new events stay in memory for a while,
 * and each stream takes those that it hasn't sent. A stream that is further behind reads the log
 * itself. So a slow reader costs no memory.
 */
import { nonNull } from "../../support/non-null.ts";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { Wake } from "../events/wake.ts";
import type { Log } from "../ports.ts";
import { inSlices } from "./in-slices.ts";
import { streamLimits } from "./stream-limits.ts";

export interface LogReader {
  /** Calls back when there is more to read; the returned function unsubscribes. */
  join(onMore: () => void): () => void;
  /**
   * Events behind this one, oldest first, up to `streamLimits.batchMax`. None, though there may be
   * some, where `onMore` will be called.
   */
  after(sequence: number): Awaitable<readonly LoggedEvent[]>;
  /** The log is known up to here: a range without events is empty. */
  readonly isThere: boolean;
  /** Checks for more events, in case a wake-up was missed. */
  look(): void;
  /** The number of events and bytes that are kept. */
  readonly kept: { readonly events: number; readonly bytes: number };
}

type Source = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

export function createLogReader(system: Source, wake: Wake, log: Log): LogReader {
  const listeners = new Set<() => void>();
  let recent: LoggedEvent[] = [];
  let bytes = 0;
  /** All events up to here have been read; null while there is no listener. */
  let position: number | null = null;
  let isReading = false;
  let isMore = false;
  let forget: (() => void) | undefined;

  const keep = (events: readonly LoggedEvent[]) => {
    for (const event of events) {
      recent.push(event);
      bytes += sizeOf(event);
    }
    let gone = 0;
    while (recent.length - gone > streamLimits.recentMax || bytes > streamLimits.recentBytesMax) {
      bytes -= sizeOf(recent[gone] as LoggedEvent);
      gone += 1;
    }
    if (gone > 0) recent = recent.slice(gone);
  };
  const clear = () => {
    recent = [];
    bytes = 0;
    position = null;
  };
  /** Reads what was stored since the last read, until nothing more is found. */
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
  const look = () => {
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
        // More events may have been announced between the end of the reading and this.
        if (isMore) look();
      });
  };

  return {
    join(onMore) {
      listeners.add(onMore);
      forget ??= wake.onEvents(look);
      look();
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
      const at = placeAfter(recent, sequence);
      return recent.slice(at, at + streamLimits.batchMax);
    },
    get isThere() {
      return position !== null;
    },
    look,
    get kept() {
      return { events: recent.length, bytes };
    },
  };
}

/** The position of the first event after a sequence. */
function placeAfter(events: readonly LoggedEvent[], sequence: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as LoggedEvent).sequence <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** About what an event takes in memory. */
function sizeOf(event: LoggedEvent): number {
  return event.payload.length + (event.record?.length ?? 0) + 200;
}
