/**
 * Event stream: one open stream. It reads the log from its reader's position, sends what the reader
 * may see, and waits at the end. It produces the next piece when the last one was sent, so a slow
 * reader costs no memory. The server disconnects a reader that accepts nothing at all; it
 * reconnects with the id of the last event it saw.
 */
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import type { Log } from "../ports.ts";
import type { Watch } from "./changes.ts";
import { eventText, placeText } from "./event-text.ts";
import type { Place } from "./place.ts";
import { type StreamIds, tailOf } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import type { OpenStream, Streams } from "./streams.ts";

/** An endpoint's events for one reader. */
export interface StreamReader {
  /** What the reader receives of the event, as JSON; null if it receives nothing. */
  serialize(event: LoggedEvent): Promise<string | null>;
  /** The event ends the stream of each reader that receives it (`Ends: after`). */
  ends(event: LoggedEvent): boolean;
  /** Repeats all checks of the request; false if they would refuse it now. */
  check(): Promise<boolean>;
  /** What the checks and the expressions read of records at hand; stale when it was changed. */
  readonly checked: Watch;
  /** `Ends: when`, evaluated on the present state. */
  isOver(): Promise<boolean>;
  /** What `Ends: when` reads; absent without one. */
  readonly over?: Watch;
  /** The position of a new reader. */
  start(): Promise<Place>;
}

export interface EventStream extends OpenStream {
  /** The next chunk to send; null when there will be no more. */
  next(): Promise<string | null>;
  /** Sends all events so far, and nothing after them. */
  endsNow(): void;
  /** There may be something to do. */
  wake(): void;
  readonly closed: Promise<void>;
}

export interface StreamParts {
  readonly streams: Streams;
  readonly system: CommittedSystem;
  readonly log: Log;
  readonly place: Place;
}

export function openEventStream(reader: StreamReader, parts: StreamParts): EventStream {
  const { streams, system } = parts;
  let { place } = parts;
  const { ids } = streams;
  let opening = openingText(place, ids);
  let isClosed = false;
  /** The last event was sent; the stream only has to end. */
  let isLast = false;
  /** What it still sends happened before `Ends: when` became true. */
  let isEnding = false;
  let isBeat = false;
  let isWoken = false;
  let wake: (() => void) | undefined;
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));

  const onMore = () => {
    isWoken = true;
    wake?.();
  };
  const pause = async () => {
    if (!isWoken && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
  };
  const reset = async (reason: "expired"): Promise<string> => {
    place = { ...(await reader.start()), reset: reason };
    return resetText(place, ids);
  };

  const serializeAll = async (events: readonly LoggedEvent[]): Promise<string | null> => {
    if ((isBeat || reader.checked.isStale) && !(await reader.check())) return null;
    let text = "";
    for (const event of events) {
      // The sequence has no holes but where events were forgotten: this reader has missed some, and
      // must know.
      if (place.isResumed && event.sequence !== place.sequence + 1) return text + (await reset("expired"));
      const serialized = await reader.serialize(event);
      if (isClosed) return null;
      place = { ...place, sequence: event.sequence, tail: tailOf(event.id) };
      if (serialized === null) continue;
      text += eventText({ id: ids.ofEvent(event), type: event.type, data: serialized });
      isLast = reader.ends(event);
      if (isLast || text.length >= streamLimits.chunkBytesMax) return text;
    }
    // With many streams, or a long log, others run in between.
    if (text === "") await new Promise((resolve) => setImmediate(resolve));
    return text;
  };

  /**
   * A keep-alive with the current position, which keeps the position fresh when no event is sent.
   * It is sent even if the position is the same.
   */
  const ping = async (): Promise<string | null> => {
    isBeat = false;
    if (!(await reader.check())) return null;
    return `: ping\n${placeText(ids.ofPlace(place))}`;
  };

  /** Text to send, nothing for now, or null at the end; undefined if there is nothing to do. */
  const work = async (): Promise<string | null | undefined> => {
    isWoken = false;
    const { batchMax } = streamLimits;
    const isThere = isEnding || streams.log.isThere;
    const events = await (isEnding
      ? system.eventsAfter(place.sequence, batchMax)
      : streams.log.after(place.sequence));
    if (isClosed) return null;
    if (events.length > 0) return serializeAll(events);
    if (isEnding) return null;
    // All events of the log were sent: from now on none may be missing.
    if (!place.isResumed && isThere) place = { ...place, isResumed: true };
    if (isBeat) return ping();
    if (reader.over?.isStale) {
      reader.over.look();
      if (!(await reader.check())) return null;
      isEnding = await reader.isOver();
      return "";
    }
    return undefined;
  };

  const step = async (): Promise<string | null> => {
    if (isLast) return null;
    const text = await streams.turns.within(work);
    if (text !== undefined) return text;
    await pause();
    return "";
  };

  const leave = streams.enter({ beat, close });
  const leaveLog = streams.log.join(onMore);
  function beat(): void {
    isBeat = true;
    onMore();
  }
  function close(): void {
    if (isClosed) return;
    isClosed = true;
    leave();
    leaveLog();
    reader.checked.stop();
    reader.over?.stop();
    onMore();
    resolveClosed();
  }
  return {
    beat,
    close,
    closed,
    wake: onMore,
    endsNow() {
      isEnding = true;
      if (place.reset === undefined) opening = "";
    },
    async next() {
      const first = opening;
      opening = "";
      if (first !== "" && !isClosed) return first;
      try {
        while (!isClosed) {
          const text = await step();
          if (text === null) break;
          if (text !== "") return text;
        }
      } catch (error) {
        // The reader resumes from its position. A stream that was closed may have met a closed
        // store.
        if (!isClosed) parts.log.error({ error: String(error) }, "a stream of events failed");
      }
      close();
      return null;
    },
  };
}

/** The retry interval and the position, before anything has happened. */
function openingText(place: Place, ids: StreamIds): string {
  const retry = `retry: ${streamLimits.retryMs}\n`;
  return retry + (place.reset === undefined ? placeText(ids.ofPlace(place)) : `\n${resetText(place, ids)}`);
}

/** Reports that events may be missing between what the reader has seen and what follows. */
function resetText(place: Place, ids: StreamIds): string {
  const { reset } = place;
  return eventText({ id: ids.ofPlace(place), type: "reset", data: JSON.stringify({ reason: reset }) });
}
