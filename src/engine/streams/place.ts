/**
 * The position in the log where a stream starts: after the last event that its reader has seen, or
 * where `Starts` says.
 */
import type { Value } from "../../expressions/value.ts";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import { type StreamIds, tailOf } from "./stream-ids.ts";

export interface Place {
  /** Everything after it has yet to be sent. */
  readonly sequence: number;
  /** The end of the id of that event; null if it is no longer known. */
  readonly tail: string | null;
  /** Whether the reader was connected before: it has missed what the log no longer has. */
  readonly isResumed: boolean;
  /**
   * Why the stream doesn't start at the reader's position: the position is unknown, or events after
   * it are partly deleted.
   */
  readonly reset?: "unknown" | "expired";
  /** The event that the reader has seen last. */
  readonly seen?: LoggedEvent;
}

type LogOf = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

/** What finding a place needs: the log, and how ids are read. */
export interface PlaceSources {
  readonly log: LogOf;
  readonly ids: Pick<StreamIds, "read">;
}

/**
 * @param start `Starts`: null is now, a number the sequence after which it starts, a text the id of
 * an event
 */
export async function placeOf(
  lastEventId: string | undefined,
  start: Value,
  sources: PlaceSources,
): Promise<Place> {
  if (lastEventId !== undefined) return resumed(lastEventId, start, sources);
  return startOf(start, sources);
}

export async function startOf(start: Value, sources: PlaceSources): Promise<Place> {
  if (typeof start === "string") return resumed(start, null, sources);
  const { log } = sources;
  const { last } = await log.logSpan();
  if (typeof start !== "number" || start >= last) return placeAt(last, log);
  return placeAt(Math.max(0, Math.floor(start)), log);
}

async function placeAt(sequence: number, log: LogOf): Promise<Place> {
  const [event] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const tail = event?.sequence === sequence ? tailOf(event.id) : null;
  return { sequence, tail, isResumed: false };
}

async function resumed(text: string, start: Value, sources: PlaceSources): Promise<Place> {
  const { log, ids } = sources;
  const position = ids.read(text);
  const { last } = await log.logSpan();
  const anew = async (reset: "unknown" | "expired") => ({ ...(await startOf(start, sources)), reset });
  if (!position || position.sequence > last) return anew("unknown");
  const { sequence, tail } = position;
  const [seen] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const place: Place = { sequence, tail, isResumed: true };
  if (seen?.sequence === sequence) {
    if (tail === tailOf(seen.id)) return { ...place, seen };
    return anew("unknown");
  }
  // Such an id can be guessed, so it must not reveal how far the log goes.
  if (position.isOld && sequence > 0) return anew("unknown");
  // The event itself is forgotten. Nothing was missed if the one behind it is still there, or never
  // was one.
  const [next] = await log.eventsAfter(sequence, 1);
  if ((next?.sequence ?? last + 1) === sequence + 1) return place;
  return anew("expired");
}
