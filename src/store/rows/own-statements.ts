/** Statements of this folder over the engine's own rows. */
import { type DeliveryStatements, deliveryStatements } from "./delivery-statements.ts";
import { type LogStatements, type EventColumns, logStatements, eventColumns } from "./log.ts";
import { type TraceStatements, traceStatements } from "./traces.ts";
import type { RowDialect } from "./row-dialect.ts";
import { ownStatement } from "./steps.ts";

/** The maximum number of expired responses that are deleted at once. */
const cleanedMax = 256;

const timers = `SELECT resource, row, transition, "end", due_at, failures FROM ninefold_timers`;

export type TimerColumns = readonly [
  resource: string,
  row: number,
  transition: string,
  end: number,
  dueAt: number,
  failures: number,
];

export type KeptAnswerColumns = readonly [
  method: string,
  path: string,
  bodyHash: string,
  status: number,
  headers: string,
  body: string,
  until: number,
];

const inOrder = `ORDER BY due_at, resource, row, transition, "end"`;

const events = `SELECT ${eventColumns} FROM ninefold_events`;

/** The statements over the engine's own rows in a database's SQL. */
function systemStatements(words: RowDialect) {
  return {
    idempotent: ownStatement<KeptAnswerColumns>(
      `SELECT method, path, body_hash, status, headers, body, until FROM ninefold_idempotency WHERE scope = ? AND key = ? AND until > ?`,
    ),
    keepAnswer:
      ownStatement(`INSERT INTO ninefold_idempotency (scope, key, method, path, body_hash, status, headers, body, until)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, key) DO UPDATE SET method = excluded.method, path = excluded.path,
      body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers, body = excluded.body, until = excluded.until`),
    forget: ownStatement(
      `DELETE FROM ninefold_idempotency WHERE (scope, key) IN (SELECT scope, key FROM ninefold_idempotency WHERE until <= ? LIMIT ${cleanedMax})`,
    ),
    setTimer:
      ownStatement(`INSERT INTO ninefold_timers (resource, row, transition, "end", due_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (resource, row, transition, "end") DO UPDATE SET due_at = excluded.due_at, failures = 0, held = 0`),
    clearTimer: ownStatement(
      `DELETE FROM ninefold_timers WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
    ),
    clearTimers: ownStatement(`DELETE FROM ninefold_timers WHERE resource = ? AND row = ?`),
    postpone: ownStatement(
      `UPDATE ninefold_timers SET due_at = ?, failures = ? WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
    ),
    hold: ownStatement(
      `UPDATE ninefold_timers SET held = 1 WHERE resource = ? AND row = ? AND transition = ? AND "end" = ?`,
    ),
    wake: ownStatement<
      readonly [dueAt: number]
    >(`UPDATE ninefold_timers SET held = 0, due_at = CASE WHEN due_at > ?1 THEN due_at ELSE ?1 END
    WHERE resource = ?2 AND row = ?3 AND held = 1 RETURNING due_at`),
    wakeAll:
      ownStatement(`UPDATE ninefold_timers SET held = 0, due_at = CASE WHEN due_at > ?1 THEN due_at ELSE ?1 END
    WHERE resource = ?2 AND held = 1`),
    events: ownStatement<EventColumns>(`${events} ORDER BY sequence`),
    eventsAfter: ownStatement<EventColumns>(`${events} WHERE sequence > ? ORDER BY sequence ${words.limit}`),
    firstSequence: ownStatement<readonly [sequence: number | null]>(
      `SELECT min(sequence) FROM ninefold_events`,
    ),
    lastSequence: ownStatement<readonly [sequence: number]>(words.lastSequence),
    nextDue: ownStatement<readonly [dueAt: number | null]>(
      `SELECT min(due_at) FROM ninefold_timers WHERE held = 0`,
    ),
    firstTimed: ownStatement<readonly [resource: string, dueAt: number]>(
      `SELECT resource, due_at FROM ninefold_timers WHERE held = 0 AND resource > ? ORDER BY resource, due_at LIMIT 1`,
    ),
    setting: ownStatement<readonly [value: string]>(`SELECT value FROM ninefold_settings WHERE name = ?`),
    setSetting: ownStatement(
      `INSERT INTO ninefold_settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ),
    next: ownStatement<
      readonly [value: number]
    >(`INSERT INTO ninefold_sequences AS kept (name, within, value) VALUES (?, ?, 1)
    ON CONFLICT (name, within) DO UPDATE SET value = kept.value + 1 RETURNING value`),
    advancePast: ownStatement(`INSERT INTO ninefold_sequences AS kept (name, within, value) VALUES (?, ?, ?)
    ON CONFLICT (name, within) DO UPDATE SET value = CASE WHEN kept.value > excluded.value THEN kept.value ELSE excluded.value END`),
    countDue: ownStatement<readonly [count: number]>(
      `SELECT count(*) FROM (SELECT 1 FROM ninefold_timers WHERE held = 0 AND due_at <= ? ${words.limit}) AS found`,
    ),
    due: ownStatement<TimerColumns>(`${timers} WHERE held = 0 AND due_at <= ? ${inOrder} ${words.limit}`),
    dueOfResource: ownStatement<TimerColumns>(
      `${timers} WHERE held = 0 AND due_at <= ? AND resource = ? ${inOrder} ${words.limit}`,
    ),
    // The `+` makes the database use the key, and not an index of due timers, which may be long.
    dueOfRecord: ownStatement<TimerColumns>(
      `${timers} WHERE +held = 0 AND +due_at <= ? AND resource = ? AND row = ? ${inOrder} ${words.limit}`,
    ),
  };
}

/**
 * All statements of this folder over the engine's own rows. They are created once for a database.
 */
export interface OwnStatements {
  readonly words: RowDialect;
  readonly system: ReturnType<typeof systemStatements>;
  readonly deliveries: DeliveryStatements;
  readonly log: LogStatements;
  readonly traces: TraceStatements;
}

/** Creates the statements over the engine's own rows. */
export function ownStatements(words: RowDialect): OwnStatements {
  return {
    words,
    system: systemStatements(words),
    deliveries: deliveryStatements(words),
    log: logStatements(words),
    traces: traceStatements(words),
  };
}
