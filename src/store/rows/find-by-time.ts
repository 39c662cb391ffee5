/**
 * Binary search by time: finds events and deliveries by identifier without an index, which would
 * slow each change that records an event.
 *
 * Rows are stored in order of creation, and identifiers start with that time
 * (`support/timed-id.ts`). A clock may have been set back, and identifiers of older stores have no
 * time; all rows are searched then.
 */
import { timeOfId } from "../../support/timed-id.ts";
import { firstRow, rowOf, type Statement, type Steps } from "./steps.ts";

/**
 * The maximum time between an event and the commit of its change, in milliseconds. Requests finish
 * within it.
 */
const spreadMs = 60_000;

interface Timed {
  /** The position and the time of the first row at a position or after it. */
  readonly next: Statement<readonly [place: number, time: string | number]>;
  readonly last: Statement<readonly [place: number | null]>;
  /** Finds an identifier: between two positions (`within`), or in all rows. */
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

/** The sequence of an event; null if the log doesn't have it. */
export function sequenceOfEvent(id: string): Steps<number | null> {
  return placeOf(events, id);
}

/** The number of a delivery; null if it doesn't exist. */
export function deliveryNumber(id: string): Steps<number | null> {
  return placeOf(deliveries, id);
}

function* placeOf(timed: Timed, id: string): Steps<number | null> {
  const timeMs = timeOfId(id);
  if (timeMs !== undefined) {
    const from = yield* firstAt(timed, timeMs - spreadMs);
    const until = yield* firstAt(timed, timeMs + spreadMs);
    const near = yield* rowOf(firstRow(timed.within, [from, until, id]));
    if (near) return near[0];
  }
  return (yield* rowOf(firstRow(timed.anywhere, [id])))?.[0] ?? null;
}

/** The first position with this time or a later one, provided that no clock was set back. */
function* firstAt(timed: Timed, timeMs: number): Steps<number> {
  const [last] = (yield* rowOf(firstRow(timed.last, []))) ?? [];
  let low = 0;
  let high = (last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* rowOf(firstRow(timed.next, [middle]));
    if (!found || timed.timeOf(found[1]) >= timeMs) high = middle;
    else low = found[0] + 1;
  }
  return low;
}
