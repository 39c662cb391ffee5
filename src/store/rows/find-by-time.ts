/**
 * Finds events and deliveries by identifier without an index, which would slow each change that records an event.
 * Rows are stored in order of creation, and identifiers start with that time (`support/timed-id.ts`), so a binary
 * search finds the position. A clock may have been set back, and identifiers of older stores have no time; then all
 * rows are searched.
 */
import { timeOfId } from "../../support/timed-id.ts";
import { first, rowOf, type Statement, type Steps } from "./steps.ts";

/**
 * A change is committed at most so long after the time of its events, in milliseconds: requests are
 * finished by then.
 */
const spreadMs = 60_000;

interface Timed {
  /** The place and the time of the first at a place or after it. */
  readonly next: Statement<readonly [place: number, time: string | number]>;
  readonly last: Statement<readonly [place: number | null]>;
  /** By identifier, from a place on and before another; and in all. */
  readonly within: Statement<readonly [place: number]>;
  readonly anywhere: Statement<readonly [place: number]>;
  readonly timeOf: (time: string | number) => number;
}

const events: Timed = {
  next: { sql: "SELECT sequence, time FROM ninefold_events WHERE sequence >= ? ORDER BY sequence LIMIT 1" },
  last: { sql: "SELECT max(sequence) FROM ninefold_events" },
  within: {
    sql: "SELECT sequence FROM ninefold_events WHERE sequence >= ? AND sequence < ? AND id = ? LIMIT 1",
  },
  anywhere: { sql: "SELECT sequence FROM ninefold_events WHERE id = ? LIMIT 1" },
  timeOf: (value) => Date.parse(String(value)),
};

const deliveries: Timed = {
  next: {
    sql: "SELECT number, created_at FROM ninefold_deliveries WHERE number >= ? ORDER BY number LIMIT 1",
  },
  last: { sql: "SELECT max(number) FROM ninefold_deliveries" },
  within: {
    sql: "SELECT number FROM ninefold_deliveries WHERE number >= ? AND number < ? AND id = ? LIMIT 1",
  },
  anywhere: { sql: "SELECT number FROM ninefold_deliveries WHERE id = ? LIMIT 1" },
  timeOf: Number,
};

/** The event's sequence; null where the log has no such event. */
export function sequenceOfEvent(id: string): Steps<number | null> {
  return placeOf(events, id);
}

/** The delivery's number; null if there is none. */
export function numberOfDelivery(id: string): Steps<number | null> {
  return placeOf(deliveries, id);
}

function* placeOf(timed: Timed, id: string): Steps<number | null> {
  const timeMs = timeOfId(id);
  if (timeMs !== undefined) {
    const from = yield* firstAt(timed, timeMs - spreadMs);
    const until = yield* firstAt(timed, timeMs + spreadMs);
    const near = yield* rowOf(first(timed.within, [from, until, id]));
    if (near) return near[0];
  }
  return (yield* rowOf(first(timed.anywhere, [id])))?.[0] ?? null;
}

/** The first place whose time is this one or later, as if no clock was ever set back. */
function* firstAt(timed: Timed, timeMs: number): Steps<number> {
  const [last] = (yield* rowOf(first(timed.last, []))) ?? [];
  let low = 0;
  let high = (last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* rowOf(first(timed.next, [middle]));
    if (!found || timed.timeOf(found[1]) >= timeMs) high = middle;
    else low = found[0] + 1;
  }
  return low;
}
