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

type Source = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

export class LogReader {
  readonly #system: Source;
  readonly #wakeUps: WakeUps;
  readonly #log: Log;
  readonly #listeners = new Set<() => void>();
  #recent: LoggedEvent[] = [];
  #bytes = 0;
  /** The sequence number up to which all events have been read; null without a listener. */
  #position: number | null = null;
  #isReading = false;
  #isMore = false;
  #forget: (() => void) | undefined;

  constructor(system: Source, wakeUps: WakeUps, log: Log) {
    this.#system = system;
    this.#wakeUps = wakeUps;
    this.#log = log;
  }

  /** Reads new events, in case a wake-up was missed. */
  readNew(): void {
    if (this.#listeners.size === 0) return;
    this.#isMore = true;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#read()
      .catch((error: unknown) =>
        this.#log.error({ error: String(error) }, "the log of events could not be read"),
      )
      .finally(() => {
        this.#isReading = false;
        if (this.#listeners.size === 0) return this.#clear();
        inSlices([...this.#listeners], streamLimits.streamsPerTurn, (listener) => listener());
        // More events may have been announced between the end of the read and this line.
        if (this.#isMore) this.readNew();
      });
  }

  /** Calls back when there are more events. The returned function unsubscribes. */
  join(onMore: () => void): () => void {
    this.#listeners.add(onMore);
    this.#forget ??= this.#wakeUps.onEvents(() => this.readNew());
    this.readNew();
    return () => {
      this.#listeners.delete(onMore);
      if (this.#listeners.size > 0) return;
      this.#forget?.();
      this.#forget = undefined;
      if (!this.#isReading) this.#clear();
    };
  }

  /**
   * Returns the events after a sequence number, oldest first, up to `streamLimits.batchMax`. It may
   * return none although there are some; then it calls `onMore` later.
   */
  after(sequence: number): Awaitable<readonly LoggedEvent[]> {
    if (this.#position === null || sequence >= this.#position) return [];
    const first = this.#recent[0]?.sequence ?? this.#position + 1;
    if (sequence < first - 1) return this.#system.eventsAfter(sequence, streamLimits.batchMax);
    const at = indexAfter(this.#recent, sequence);
    return this.#recent.slice(at, at + streamLimits.batchMax);
  }

  /** Whether the log was read up to the end, so that a range without events is empty. */
  get isThere(): boolean {
    return this.#position !== null;
  }

  /** The number of events and bytes in memory. */
  get kept(): { readonly events: number; readonly bytes: number } {
    return { events: this.#recent.length, bytes: this.#bytes };
  }

  #keep(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      this.#recent.push(event);
      this.#bytes += sizeOf(event);
    }
    let deletedUpTo = 0;
    while (
      this.#recent.length - deletedUpTo > streamLimits.recentMax ||
      this.#bytes > streamLimits.recentBytesMax
    ) {
      this.#bytes -= sizeOf(this.#recent[deletedUpTo] as LoggedEvent);
      deletedUpTo += 1;
    }
    if (deletedUpTo > 0) this.#recent = this.#recent.slice(deletedUpTo);
  }

  #clear(): void {
    this.#recent = [];
    this.#bytes = 0;
    this.#position = null;
  }

  /** Reads the events that were stored since the last read, until there are no more. */
  async #read(): Promise<void> {
    do {
      this.#isMore = false;
      if (this.#position === null) this.#position = (await this.#system.logSpan()).last;
      for (;;) {
        const events = await this.#system.eventsAfter(this.#position, streamLimits.batchMax);
        if (events.length === 0) break;
        this.#position = nonNull(events.at(-1)).sequence;
        this.#keep(events);
      }
    } while (this.#isMore);
  }
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
