/**
 * Event log for the operator: newest first, filtered by type, record and time.
 *
 * Only its sequence has an index, because any other would slow each change that records an event. A
 * clock may have been set back, so a binary search by time is impossible, and the log is scanned.
 */
import type { LogEntry, LogFilter, LoggedEvent, LoggedRecord, LogRange } from "../store.ts";
import { type Browsing, Conditions } from "./browsing.ts";
import { sequenceOfEvent } from "./find-by-time.ts";
import { allRows, type BoundStatement, firstRow, rowOf, statement, type Steps } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";

const columns = "sequence, id, type, time, resource, row, subject";
type LogColumns = readonly [
  sequence: number,
  id: string,
  type: string,
  time: string,
  resource: string,
  row: number,
  subject: string,
];

/** The columns of an event, with its payload and record. */
export const eventColumns = `${columns}, payload, record`;
export type EventColumns = readonly [...LogColumns, payload: string, record: string | null];

/** Lists events, the newest first. */
export function listLog(
  filter: LogFilter,
  limit: number,
  words: RowDialect,
): Browsing<readonly LogEntry[], LogColumns> {
  const conditions = conditionsOf(filter);
  return {
    text: `SELECT ${columns} FROM ninefold_events${conditions.ticking(words)} ORDER BY sequence DESC ${words.limit}`,
    values: [...conditions.values, limit],
    read: (rows) => rows.map(logEntry),
  };
}

function conditionsOf({ from, until, ...filter }: LogFilter): Conditions {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  return new Conditions()
    .add("sequence < ?", filter.before)
    .add("time >= ?", time(from))
    .add("time < ?", time(until))
    .add("resource = ?", filter.resource)
    .add("type = ?", filter.type)
    .add("subject = ?", filter.subject);
}

/** The statements of the log in a database's SQL. */
export function logStatements(words: RowDialect) {
  return {
    ofRecord: statement<LogColumns>(
      `SELECT ${columns} FROM ninefold_events WHERE sequence > ? AND sequence < ? AND row = ? AND resource = ?
  ORDER BY sequence DESC ${words.limit}`,
    ),
    event: statement<EventColumns>(`SELECT ${eventColumns} FROM ninefold_events WHERE sequence = ?`),
  };
}

export type LogStatements = ReturnType<typeof logStatements>;

/** The events of one record in a stretch of the log. */
export function queryLogOfRecord(
  statements: LogStatements,
  { resource, row }: LoggedRecord,
  { after, before }: LogRange,
  limit: number,
): BoundStatement<LogColumns> {
  return allRows(statements.ofRecord, [after, before, row, resource, limit]);
}

/** The event with an identifier; null if the log doesn't have it. */
export function* eventOf(statements: LogStatements, id: string): Steps<LoggedEvent | null> {
  const sequence = yield* sequenceOfEvent(id);
  if (sequence === null) return null;
  const row = yield* rowOf(firstRow(statements.event, [sequence]));
  return row ? loggedEvent(row) : null;
}

export function logEntry([sequence, id, type, time, resource, row, subject]: LogColumns): LogEntry {
  return { sequence, id, type, time, resource, row, subject };
}

export function loggedEvent([
  sequence,
  id,
  type,
  time,
  resource,
  row,
  subject,
  payload,
  record,
]: EventColumns): LoggedEvent {
  return { sequence, id, type, time, resource, row, subject, payload, record };
}
