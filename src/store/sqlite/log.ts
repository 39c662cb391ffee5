/**
 * The log of events as an operator looks it over: newest first, by type, record and time. Only its sequence has an index, for any other
 * would cost each change that tells of something; and a clock may have been set back, so that times lead to no place in it. It is gone
 * through.
 */
import type { LogEntry, LogFilter, LoggedEvent, LoggedRecord, LogStretch } from "../store.ts";
import { boundLimit } from "./bound-limit.ts";
import { type Browsing, Conditions } from "./browsing.ts";
import type { Connection, Row } from "./connection.ts";
import { sequenceOfEvent } from "./find-by-time.ts";

const columns = "sequence, id, type, time, resource, row, subject";

export function listLog(filter: LogFilter, limit: number): Browsing<readonly LogEntry[]> {
  return () => {
    const conditions = conditionsOf(filter);
    return {
      text: `SELECT ${columns} FROM ninefold_events${conditions.ticking} ORDER BY sequence DESC ${boundLimit}`,
      values: [...conditions.values, limit],
      read: (rows) => rows.map(logEntry),
    };
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

const ofRecord = `SELECT ${columns} FROM ninefold_events WHERE sequence > ? AND sequence < ? AND row = ? AND resource = ?
  ORDER BY sequence DESC ${boundLimit}`;

export function logOfRecord(
  connection: Connection,
  { resource, row }: LoggedRecord,
  { after, before }: LogStretch,
  limit: number,
): readonly LogEntry[] {
  return connection.statement(ofRecord).all([after, before, row, resource, limit]).map(logEntry);
}

export function eventOf(connection: Connection, id: string): LoggedEvent | null {
  const sequence = sequenceOfEvent(connection, id);
  if (sequence === null) return null;
  const text = `SELECT ${columns}, payload, record FROM ninefold_events WHERE sequence = ?`;
  const row = connection.statement(text).get([sequence]);
  return row ? { ...logEntry(row), payload: row[7] as string, record: row[8] as string | null } : null;
}

function logEntry([sequence, id, type, time, resource, row, subject]: Row): LogEntry {
  return {
    sequence: sequence as number,
    id: id as string,
    type: type as string,
    time: time as string,
    resource: resource as string,
    row: row as number,
    subject: subject as string,
  };
}
