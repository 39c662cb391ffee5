/**
 * Finds events and deliveries by their identifiers, which have no index: one would cost every change that tells of something. Both are
 * kept in the order in which they were made, and their identifiers begin with that time (`support/timed-id.ts`), so a few steps by
 * halves lead to the place. Clocks may have been set back, and older stores have identifiers without a time: what isn't found there is
 * looked for in all.
 */
import { timeOfId } from "../../support/timed-id.ts";
import type { Connection, Row } from "./connection.ts";

/** A change is committed up to so long after the time that stands in its events, in milliseconds: requests end by then. */
const spreadMs = 60_000;

interface Timed {
  /** The place and the time of the first at a place or after it. */
  readonly next: string;
  readonly last: string;
  /** By identifier, from a place on and before another; and in all. */
  readonly within: string;
  readonly anywhere: string;
  readonly timeOf: (value: Row[number]) => number;
}

const events: Timed = {
  next: "SELECT sequence, time FROM ninefold_events WHERE sequence >= ? ORDER BY sequence LIMIT 1",
  last: "SELECT max(sequence) FROM ninefold_events",
  within: "SELECT sequence FROM ninefold_events WHERE sequence >= ? AND sequence < ? AND id = ? LIMIT 1",
  anywhere: "SELECT sequence FROM ninefold_events WHERE id = ? LIMIT 1",
  timeOf: (value) => Date.parse(String(value)),
};

const deliveries: Timed = {
  next: "SELECT number, created_at FROM ninefold_deliveries WHERE number >= ? ORDER BY number LIMIT 1",
  last: "SELECT max(number) FROM ninefold_deliveries",
  within: "SELECT number FROM ninefold_deliveries WHERE number >= ? AND number < ? AND id = ? LIMIT 1",
  anywhere: "SELECT number FROM ninefold_deliveries WHERE id = ? LIMIT 1",
  timeOf: Number,
};

/** The event's sequence; null where the log has no such event. */
export function sequenceOfEvent(connection: Connection, id: string): number | null {
  return placeOf(connection, events, id);
}

/** The delivery's number; null where there is none. */
export function numberOfDelivery(connection: Connection, id: string): number | null {
  return placeOf(connection, deliveries, id);
}

function placeOf(connection: Connection, timed: Timed, id: string): number | null {
  const timeMs = timeOfId(id);
  if (timeMs !== undefined) {
    const from = firstAt(connection, timed, timeMs - spreadMs);
    const until = firstAt(connection, timed, timeMs + spreadMs);
    const near = connection.statement(timed.within).get([from, until, id]);
    if (near) return near[0] as number;
  }
  return (connection.statement(timed.anywhere).get([id])?.[0] ?? null) as number | null;
}

/** The first place whose time is this one or later, as if no clock was ever set back. */
function firstAt(connection: Connection, timed: Timed, timeMs: number): number {
  const next = connection.statement(timed.next);
  const last = connection.statement(timed.last).get([])?.[0] as number | null;
  let low = 0;
  let high = (last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = next.get([middle]);
    if (!found || timed.timeOf(found[1] as Row[number]) >= timeMs) high = middle;
    else low = (found[0] as number) + 1;
  }
  return low;
}
