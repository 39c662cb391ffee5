/**
 * Stream position: the position in the log where a stream starts, which is after its reader's last
 * event, or where `Starts` says.
 */
import type { Value } from "../../expressions/value.ts";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import { type StreamIds, idSuffix } from "./stream-ids.ts";

export interface StreamPosition {
  /** The sequence number of the last sent event. All later events are still to be sent. */
  readonly sequence: number;
  /** The end of the id of that event; null if the log no longer has the event. */
  readonly tail: string | null;
  /**
   * Whether the reader was connected before. Then it has missed the events that the log no longer
   * has.
   */
  readonly isResumed: boolean;
  /**
   * Why the stream does not start at the reader's position: the position is unknown, or events
   * after it were deleted.
   */
  readonly reset?: "unknown" | "expired";
  /** The reader's last event. */
  readonly seen?: LoggedEvent;
}

type LogOf = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

/** The sources for finding a position: the log, and the reader of ids. */
export interface PositionSources {
  readonly log: LogOf;
  readonly ids: Pick<StreamIds, "read">;
}

/**
 * Finds the position of a stream.
 * @param start the value of `Starts`: null is the end of the log, a number is the sequence number
 * before the first event, a text is an event's id
 */
export async function positionOf(
  lastEventId: string | undefined,
  start: Value,
  sources: PositionSources,
): Promise<StreamPosition> {
  if (lastEventId !== undefined) return resumed(lastEventId, start, sources);
  return startPosition(start, sources);
}

export async function startPosition(start: Value, sources: PositionSources): Promise<StreamPosition> {
  if (typeof start === "string") return resumed(start, null, sources);
  const { log } = sources;
  const { last } = await log.logSpan();
  if (typeof start !== "number" || start >= last) return positionAt(last, log);
  return positionAt(Math.max(0, Math.floor(start)), log);
}

async function positionAt(sequence: number, log: LogOf): Promise<StreamPosition> {
  const [event] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const tail = event?.sequence === sequence ? idSuffix(event.id) : null;
  return { sequence, tail, isResumed: false };
}

async function resumed(text: string, start: Value, sources: PositionSources): Promise<StreamPosition> {
  const { log, ids } = sources;
  const position = ids.read(text);
  const { last } = await log.logSpan();
  const restart = async (reset: "unknown" | "expired") => ({
    ...(await startPosition(start, sources)),
    reset,
  });
  if (!position || position.sequence > last) return restart("unknown");
  const { sequence, tail } = position;
  const [seen] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const place: StreamPosition = { sequence, tail, isResumed: true };
  if (seen?.sequence === sequence) {
    if (tail === idSuffix(seen.id)) return { ...place, seen };
    return restart("unknown");
  }
  // A client can guess such an id, so the response must not reveal how far the log goes.
  if (position.isOld && sequence > 0) return restart("unknown");
  // The event itself was deleted. The reader missed nothing if the log has the next event, or no
  // event followed.
  const [next] = await log.eventsAfter(sequence, 1);
  if ((next?.sequence ?? last + 1) === sequence + 1) return place;
  return restart("expired");
}
