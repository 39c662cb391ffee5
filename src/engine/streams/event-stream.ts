/**
 * Event stream: one open stream. It reads the log from its reader's position, sends the events that
 * the reader may see, and waits at the end of the log. It produces the next chunk after the
 * previous one was sent, so a slow reader needs no memory. The server disconnects a reader that
 * accepts no data. The reader reconnects with the id of its last event.
 */
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import type { Log } from "../ports.ts";
import type { Watch } from "./changes.ts";
import { eventText, positionText } from "./event-text.ts";
import type { StreamPosition } from "./stream-position.ts";
import { type StreamIds, idSuffix } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import type { OpenStream, Streams } from "./streams.ts";

/** A reader of an endpoint's events. */
export interface StreamReader {
  /** Returns the event as JSON for the reader; null if the reader does not receive it. */
  serialize(event: LoggedEvent): Promise<string | null>;
  /** Whether the event ends the stream of each reader that receives it (`Ends: after`). */
  ends(event: LoggedEvent): boolean;
  /** Repeats all checks of the request. Returns false if they would reject it now. */
  check(): Promise<boolean>;
  /**
   * The records at hand that the checks and expressions read. The watch is stale when one of them
   * was changed.
   */
  readonly checked: Watch;
  /** Evaluates `Ends: when` on the present state. */
  isFinished(): Promise<boolean>;
  /** The records that `Ends: when` reads; absent without `Ends: when`. */
  readonly over?: Watch;
  /** Returns the position at which a new reader starts. */
  start(): Promise<StreamPosition>;
}

export interface EventStream extends OpenStream {
  /** Returns the next chunk to send; null at the end of the stream. */
  next(): Promise<string | null>;
  /** Sends all events so far, and then ends the stream. */
  endsNow(): void;
  /** Wakes the stream, because there may be something to send. */
  wakeUp(): void;
  readonly closed: Promise<void>;
}

export interface StreamParts {
  readonly streams: Streams;
  readonly system: CommittedSystem;
  readonly log: Log;
  readonly place: StreamPosition;
}

export function openEventStream(reader: StreamReader, parts: StreamParts): EventStream {
  const { streams, system } = parts;
  let { place } = parts;
  const { ids } = streams;
  let opening = openingText(place, ids);
  let isClosed = false;
  /** Whether the last event was sent, so that the stream only has to end. */
  let isLast = false;
  /** Whether `Ends: when` is true. The stream still sends the events before that. */
  let isEnding = false;
  let isBeat = false;
  let isWoken = false;
  let resume: (() => void) | undefined;
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));

  const onMore = () => {
    isWoken = true;
    resume?.();
  };
  const pause = async () => {
    if (!isWoken && !isClosed) await new Promise<void>((resolve) => (resume = resolve));
  };
  const reset = async (reason: "expired"): Promise<string> => {
    place = { ...(await reader.start()), reset: reason };
    return resetText(place, ids);
  };

  const serializeAll = async (events: readonly LoggedEvent[]): Promise<string | null> => {
    if ((isBeat || reader.checked.isStale) && !(await reader.check())) return null;
    let text = "";
    for (const event of events) {
      // A missing sequence number means that events were deleted. The reader has missed them, and a
      // reset informs it.
      if (place.isResumed && event.sequence !== place.sequence + 1) return text + (await reset("expired"));
      const serialized = await reader.serialize(event);
      if (isClosed) return null;
      place = { ...place, sequence: event.sequence, tail: idSuffix(event.id) };
      if (serialized === null) continue;
      text += eventText({ id: ids.ofEvent(event), type: event.type, data: serialized });
      isLast = reader.ends(event);
      if (isLast || text.length >= streamLimits.chunkBytesMax) return text;
    }
    // With many streams or a long log, other tasks run in between.
    if (text === "") await new Promise((resolve) => setImmediate(resolve));
    return text;
  };

  /**
   * Creates a keep-alive with the current position. It keeps the reader's position recent when no
   * event is sent, and is sent even if the position is unchanged.
   */
  const ping = async (): Promise<string | null> => {
    isBeat = false;
    if (!(await reader.check())) return null;
    return `: ping\n${positionText(ids.ofPosition(place))}`;
  };

  /**
   * Returns the text to send, an empty text if there is none now, or null at the end; undefined if
   * there is nothing to do.
   */
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
    // The stream has sent all events of the log. From now on a missing event is reported.
    if (!place.isResumed && isThere) place = { ...place, isResumed: true };
    if (isBeat) return ping();
    if (reader.over?.isStale) {
      reader.over.markRead();
      if (!(await reader.check())) return null;
      isEnding = await reader.isFinished();
      return "";
    }
    return undefined;
  };

  const step = async (): Promise<string | null> => {
    if (isLast) return null;
    const text = await streams.tasks.within(work);
    if (text !== undefined) return text;
    await pause();
    return "";
  };

  const leave = streams.enter({ heartbeat, close });
  const leaveLog = streams.log.join(onMore);
  function heartbeat(): void {
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
    heartbeat,
    close,
    closed,
    wakeUp: onMore,
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
        // The reader resumes from its position. The store of a closed stream may be closed, so its
        // error is not logged.
        if (!isClosed) parts.log.error({ error: String(error) }, "a stream of events failed");
      }
      close();
      return null;
    },
  };
}

/** Creates the first text of a stream: the retry interval and the position. */
function openingText(place: StreamPosition, ids: StreamIds): string {
  const retry = `retry: ${streamLimits.retryMs}\n`;
  return (
    retry + (place.reset === undefined ? positionText(ids.ofPosition(place)) : `\n${resetText(place, ids)}`)
  );
}

/**
 * Creates a reset text. It reports that events may be missing between the reader's last event and
 * the next.
 */
function resetText(place: StreamPosition, ids: StreamIds): string {
  const { reset } = place;
  return eventText({ id: ids.ofPosition(place), type: "reset", data: JSON.stringify({ reason: reset }) });
}
