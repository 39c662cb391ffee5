/** The expected state of a store: its initial content, with each write applied in order. */
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import type { LoggedEvent } from "../../src/store/store.ts";
import type { Write } from "./watched-store.ts";

/** Records by resource and `#row`, and the log. */
export interface Held {
  readonly records: ReadonlyMap<string, RecordValue>;
  readonly events: readonly LoggedEvent[];
}

export function keyOf(resource: string, row: number): string {
  return `${resource} ${row}`;
}

export function afterWrite(held: Held, { touches, events }: Write): Held {
  if (touches.length === 0 && events.length === 0) return held;
  const records = new Map(held.records);
  for (const { resource, row, after } of touches) {
    if (after === null) records.delete(keyOf(resource, row));
    else records.set(keyOf(resource, row), after);
  }
  return { records, events: [...held.events, ...events] };
}

/**
 * The difference, as text; null if there is none.
 * @param forgottenBefore events before this time may be absent
 */
export function differenceOf(expected: Held, there: Held, forgottenBefore: string): string | null {
  for (const [key, record] of expected.records) {
    const actual = there.records.get(key);
    if (!actual) return `${key} is missing: ${textOf(record)}`;
    if (textOf(record) !== textOf(actual))
      return `${key} is ${textOf(actual)}, and was reported as ${textOf(record)}`;
  }
  for (const [key, record] of there.records)
    if (!expected.records.has(key)) return `${key} is there, and no write has made it: ${textOf(record)}`;
  const known = new Map(expected.events.map((event) => [event.sequence, event]));
  for (const event of there.events) {
    const reported = known.get(event.sequence);
    if (!reported) return `event ${event.sequence} ${event.type} is in the log, and no write has reported it`;
    if (reported.id !== event.id || reported.payload !== event.payload || reported.row !== event.row)
      return `event ${event.sequence} ${event.type} is another one in the log`;
  }
  const logged = new Set(there.events.map(({ sequence }) => sequence));
  const lost = expected.events.find(({ sequence, time }) => !logged.has(sequence) && time >= forgottenBefore);
  return lost ? `event ${lost.sequence} ${lost.type} is missing in the log` : null;
}

/** The text of a record, independent of the order of its fields; null parts are left out. */
export function textOf(record: RecordValue): string {
  return JSON.stringify(ordered(record));
}

function ordered(value: Value): Value {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(parts.map(([name, part]) => [name, ordered(part)]));
}
