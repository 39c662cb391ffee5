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

export interface StreamParts {
  readonly streams: Streams;
  readonly system: CommittedSystem;
  readonly log: Log;
  readonly place: StreamPosition;
}

export class EventStream implements OpenStream {
  readonly #reader: StreamReader;
  readonly #streams: Streams;
  readonly #system: CommittedSystem;
  readonly #log: Log;
  readonly #closed = Promise.withResolvers<void>();
  readonly #leave: () => void;
  readonly #leaveLog: () => void;
  #place: StreamPosition;
  #opening: string;
  #isClosed = false;
  /** Whether the last event was sent, so that the stream only has to end. */
  #isLast = false;
  /** Whether `Ends: when` is true. The stream still sends the events before that. */
  #isEnding = false;
  #isBeat = false;
  #isWoken = false;
  #resume: (() => void) | undefined;

  constructor(reader: StreamReader, { streams, system, log, place }: StreamParts) {
    this.#reader = reader;
    this.#streams = streams;
    this.#system = system;
    this.#log = log;
    this.#place = place;
    this.#opening = openingText(place, streams.ids);
    this.#leave = streams.enter(this);
    this.#leaveLog = streams.log.join(() => this.wakeUp());
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  heartbeat(): void {
    this.#isBeat = true;
    this.wakeUp();
  }

  /** Wakes the stream, because there may be something to send. */
  wakeUp(): void {
    this.#isWoken = true;
    this.#resume?.();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    this.#leaveLog();
    this.#reader.checked.stop();
    this.#reader.over?.stop();
    this.wakeUp();
    this.#closed.resolve();
  }

  /** Sends all events so far, and then ends the stream. */
  endsNow(): void {
    this.#isEnding = true;
    if (this.#place.reset === undefined) this.#opening = "";
  }

  /** Returns the next chunk to send; null at the end of the stream. */
  async next(): Promise<string | null> {
    const first = this.#opening;
    this.#opening = "";
    if (first !== "" && !this.#isClosed) return first;
    try {
      while (!this.#isClosed) {
        const text = await this.#step();
        if (text === null) break;
        if (text !== "") return text;
      }
    } catch (error) {
      // The reader resumes from its position. The store of a closed stream may be closed, so its
      // error is not logged.
      if (!this.#isClosed) this.#log.error({ error: String(error) }, "a stream of events failed");
    }
    this.close();
    return null;
  }

  async #pause(): Promise<void> {
    if (!this.#isWoken && !this.#isClosed) await new Promise<void>((resolve) => (this.#resume = resolve));
  }

  async #reset(): Promise<string> {
    this.#place = { ...(await this.#reader.start()), reset: "expired" };
    return resetText(this.#place, this.#streams.ids);
  }

  async #serializeAll(events: readonly LoggedEvent[]): Promise<string | null> {
    if ((this.#isBeat || this.#reader.checked.isStale) && !(await this.#reader.check())) return null;
    let text = "";
    for (const event of events) {
      // A missing sequence number means that events were deleted. The reader has missed them, and a
      // reset informs it.
      if (this.#place.isResumed && event.sequence !== this.#place.sequence + 1)
        return text + (await this.#reset());
      const serialized = await this.#reader.serialize(event);
      if (this.#isClosed) return null;
      this.#place = { ...this.#place, sequence: event.sequence, tail: idSuffix(event.id) };
      if (serialized === null) continue;
      text += eventText({ id: this.#streams.ids.ofEvent(event), type: event.type, data: serialized });
      this.#isLast = this.#reader.ends(event);
      if (this.#isLast || text.length >= streamLimits.chunkBytesMax) return text;
    }
    // With many streams or a long log, other tasks run in between.
    if (text === "") await new Promise((resolve) => setImmediate(resolve));
    return text;
  }

  /**
   * Creates a keep-alive with the current position. It keeps the reader's position recent when no
   * event is sent, and is sent even if the position is unchanged.
   */
  async #ping(): Promise<string | null> {
    this.#isBeat = false;
    if (!(await this.#reader.check())) return null;
    return `: ping\n${positionText(this.#streams.ids.ofPosition(this.#place))}`;
  }

  /**
   * Returns the text to send, an empty text if there is none now, or null at the end; undefined if
   * there is nothing to do.
   */
  async #work(): Promise<string | null | undefined> {
    this.#isWoken = false;
    const { batchMax } = streamLimits;
    const isThere = this.#isEnding || this.#streams.log.isThere;
    const events = await (this.#isEnding
      ? this.#system.eventsAfter(this.#place.sequence, batchMax)
      : this.#streams.log.after(this.#place.sequence));
    if (this.#isClosed) return null;
    if (events.length > 0) return this.#serializeAll(events);
    if (this.#isEnding) return null;
    // The stream has sent all events of the log. From now on a missing event is reported.
    if (!this.#place.isResumed && isThere) this.#place = { ...this.#place, isResumed: true };
    if (this.#isBeat) return this.#ping();
    if (this.#reader.over?.isStale) {
      this.#reader.over.markRead();
      if (!(await this.#reader.check())) return null;
      this.#isEnding = await this.#reader.isFinished();
      return "";
    }
    return undefined;
  }

  async #step(): Promise<string | null> {
    if (this.#isLast) return null;
    const text = await this.#streams.tasks.within(() => this.#work());
    if (text !== undefined) return text;
    await this.#pause();
    return "";
  }
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
