/**
 * Erasure of traces: removes deleted records from the event log, deliveries and stored responses.
 */
import type { ErasedTraces, LoggedRecord, Traces } from "../store.ts";
import { change, changeAndReport, type Steps } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";

/** The content that replaces erased content. */
const erased = '{"erased":true}';

const key = "resource || ' ' || row";
const payload = "payload || coalesce(record, '')";

/** The statements in a database's SQL. */
export function traceStatements(words: RowDialect) {
  const isOne = (place: number) => `${key} IN (${words.texts(`?${place}`)})`;
  const hasOne = (place: number, text: string) =>
    `EXISTS (SELECT 1 FROM (${words.texts(`?${place}`)}) AS said WHERE ${words.contains(text, "said.value")})`;
  /** A condition: the path contains one of the texts, without their quotes. */
  const names = `EXISTS (SELECT 1 FROM (${words.texts("?2")}) AS said WHERE ${words.contains("path", "substr(said.value, 2, length(said.value) - 2)")})`;
  const ofThem = `event IN (SELECT CAST(value AS BIGINT) FROM (${words.texts("?1")}) AS listed) OR ${isOne(2)}`;
  const open = `FROM ninefold_deliveries WHERE state = 'open' AND (${ofThem})`;
  return {
    // The identifier may be a personal name.
    events: {
      sql: `UPDATE ninefold_events SET payload = ?1, subject = '', record = CASE WHEN record IS NULL THEN NULL ELSE ?1 END
    WHERE ${isOne(2)} OR ${hasOne(4, payload)} OR (${isOne(3)} AND ${hasOne(5, payload)}) RETURNING sequence`,
    },
    attempts: {
      sql: `UPDATE ninefold_attempts SET error = NULL, answer = NULL WHERE delivery IN (SELECT number FROM ninefold_deliveries WHERE ${ofThem})`,
    },
    openAttempts: { sql: `DELETE FROM ninefold_attempts WHERE delivery IN (SELECT number ${open})` },
    open: { sql: `DELETE ${open}` },
    kept: { sql: `UPDATE ninefold_deliveries SET content = ?3, error = NULL WHERE ${ofThem}` },
    receivers: { sql: `DELETE FROM ninefold_receivers WHERE ${isOne(1)}` },
    // A path without personal data stays, because it identifies a repeated request.
    answers: {
      sql: `UPDATE ninefold_idempotency SET body = ?1, headers = '[]', path = CASE WHEN ${names} THEN '' ELSE path END
    WHERE body <> ?1 AND (${hasOne(2, "body || headers")} OR ${names})`,
    },
  };
}

export type TraceStatements = ReturnType<typeof traceStatements>;

/** Erases the traces of deleted records. Returns how much was erased. */
export function* eraseTraces(
  statements: TraceStatements,
  { deleted, cleared, identifying, texts }: Traces,
): Steps<ErasedTraces> {
  const keys = (records: readonly LoggedRecord[]) =>
    JSON.stringify(records.map(({ resource, row }) => `${resource} ${row}`));
  const all = JSON.stringify(texts);
  const { rows } = yield changeAndReport(statements.events, [
    erased,
    keys(deleted),
    keys(cleared),
    JSON.stringify(identifying),
    all,
  ]);
  const events = JSON.stringify(rows.map(([sequence]) => sequence));
  const deliveries = yield* blankDeliveries(statements, [events, keys(deleted)]);
  yield change(statements.receivers, [keys(deleted)]);
  const answers = yield change(statements.answers, [erased, all]);
  return { events: rows.length, deliveries, answers: answers.changes };
}

/**
 * Erases deliveries of the erased events and to the erased receivers. Past ones stay without
 * content; open ones are deleted.
 */
function* blankDeliveries(statements: TraceStatements, ofThem: readonly string[]): Steps<number> {
  yield change(statements.attempts, ofThem);
  yield change(statements.openAttempts, ofThem);
  const dropped = yield change(statements.open, ofThem);
  const kept = yield change(statements.kept, [...ofThem, erased]);
  return dropped.changes + kept.changes;
}
