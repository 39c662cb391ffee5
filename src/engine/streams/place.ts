/** Where in the log a stream begins: behind the event that its reader has seen last, or where `Starts` says. */
import type { Value } from "../../expressions/value.ts";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import { idOf, idOfPlace, readId, tailOf } from "./event-text.ts";

export interface Place {
  /** Everything behind it is still to be told. */
  readonly sequence: number;
  /** By which a reader comes back to it. */
  readonly id: string;
  /** The reader has been here before: what is no longer in the log behind it, it has missed. */
  readonly isResumed: boolean;
  /** Why it doesn't begin where the reader was: nothing is known of that place, or what came after it is forgotten in part. */
  readonly reset?: "unknown" | "expired";
  /** The event that the reader has seen last. */
  readonly seen?: LoggedEvent;
}

type LogOf = Pick<CommittedSystem, "eventsAfter" | "logSpan">;

/** @param start `Starts`: null is now, a number the sequence behind which it begins, a text the id of an event */
export async function placeOf(lastEventId: string | undefined, start: Value, log: LogOf): Promise<Place> {
  if (lastEventId !== undefined) return resumed(lastEventId, start, log);
  return startOf(start, log);
}

export async function startOf(start: Value, log: LogOf): Promise<Place> {
  if (typeof start === "string") return resumed(start, null, log);
  const { last } = await log.logSpan();
  if (typeof start !== "number" || start >= last) return placeAt(last, log);
  return placeAt(Math.max(0, Math.floor(start)), log);
}

async function placeAt(sequence: number, log: LogOf): Promise<Place> {
  const [event] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const id = event?.sequence === sequence ? idOf(event) : idOfPlace(sequence);
  return { sequence, id, isResumed: false };
}

async function resumed(text: string, start: Value, log: LogOf): Promise<Place> {
  const position = readId(text);
  const { last } = await log.logSpan();
  if (!position || position.sequence > last) return { ...(await startOf(start, log)), reset: "unknown" };
  const { sequence, tail } = position;
  const [seen] = sequence === 0 ? [] : await log.eventsAfter(sequence - 1, 1);
  const place: Place = { sequence, id: text, isResumed: true };
  if (seen?.sequence === sequence) {
    if (tail === tailOf(seen.id)) return { ...place, seen };
    return { ...(await startOf(start, log)), reset: "unknown" };
  }
  // The event itself is forgotten. Nothing was missed if the one behind it is still there, or never was one.
  const [next] = await log.eventsAfter(sequence, 1);
  if ((next?.sequence ?? last + 1) === sequence + 1) return place;
  return { ...(await startOf(start, log)), reset: "expired" };
}
