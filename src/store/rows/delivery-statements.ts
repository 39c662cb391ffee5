/**
 * Statements over deliveries and receivers, with the columns of their rows. `deliveries.ts`
 * executes them.
 */
import { type DeliveryRow, openCountedMax, type Receiver } from "../deliveries.ts";
import {
  type AttemptColumns,
  deliveryColumns,
  type DueDeliveryColumns,
  type ReceiverColumns,
} from "./delivery-rows.ts";
import { ownStatement } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";

export const withEvents = "FROM ninefold_deliveries d JOIN ninefold_events e ON e.sequence = d.event";
const ofReceiver = "channel = ? AND resource = ? AND row = ?";
/**
 * The due time of a receiver: that of its earliest delivery, but not before its next allowed
 * attempt.
 */
const receiverDue = `(SELECT CASE WHEN r.not_before > min(d.due_at) THEN r.not_before ELSE min(d.due_at) END FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel
    AND d.resource = r.resource AND d.row = r.row)`;

export const receiverColumns = `r.channel, r.resource, r.row, r.failing, r.paused, r.disabled, r.due_at, (SELECT count(*) FROM
    (SELECT 1 FROM ninefold_deliveries d WHERE d.state = 'open' AND d.channel = r.channel AND d.resource = r.resource AND d.row = r.row
    LIMIT ${openCountedMax}) AS counted)`;

type ReceiverKey = readonly [channel: Receiver["channel"], resource: string, row: number];

/** The statements in a database's SQL. */
export function deliveryStatements({ limit, deleteEventsPrefix }: RowDialect) {
  return {
    receiverAsIs: ownStatement<ReceiverColumns>(
      `SELECT ${receiverColumns} FROM ninefold_receivers r WHERE ${ofReceiver}`,
    ),
    dueReceivers: ownStatement<
      readonly [...ReceiverKey, failing: number]
    >(`SELECT channel, resource, row, failing FROM ninefold_receivers WHERE failing = ? AND due_at <= ? AND disabled IS NULL
    AND paused = 0 ORDER BY due_at ${limit}`),
    due: ownStatement<DueDeliveryColumns>(`SELECT ${deliveryColumns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open'
    AND d.due_at <= ? ORDER BY d.due_at, d.number ${limit}`),
    nextDue: ownStatement<readonly [dueAt: number | null]>(
      `SELECT min(due_at) FROM ninefold_receivers WHERE failing = ? AND due_at > ? AND disabled IS NULL AND paused = 0`,
    ),
    disabled: ownStatement<readonly [...ReceiverKey, revision: number]>(
      `SELECT channel, resource, row, disabled FROM ninefold_receivers WHERE disabled IS NOT NULL`,
    ),
    countOpen: ownStatement<readonly [count: number]>(
      `SELECT count(*) FROM (SELECT 1 FROM ninefold_deliveries WHERE state = 'open' ${limit}) AS found`,
    ),
    add: ownStatement(`INSERT INTO ninefold_deliveries (id, channel, event, resource, row, content, queue, record, state, due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`),
    isQueued: ownStatement<readonly [1]>(
      `SELECT 1 FROM ninefold_deliveries WHERE ${ofReceiver} AND queue = ? AND state = 'open' LIMIT 1`,
    ),
    receives:
      ownStatement(`INSERT INTO ninefold_receivers AS r (channel, resource, row, due_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET disabled = CASE WHEN r.disabled >= ? THEN r.disabled END,
      due_at = CASE WHEN r.due_at < excluded.due_at
      THEN (CASE WHEN r.not_before > r.due_at THEN r.not_before ELSE r.due_at END)
      ELSE (CASE WHEN r.not_before > excluded.due_at THEN r.not_before ELSE excluded.due_at END) END`),
    note: ownStatement<
      readonly [...ReceiverKey, queue: string | null]
    >(`UPDATE ninefold_deliveries SET state = ?, attempts = attempts + 1, due_at = ?, last_at = ?, ended_at = ?, status = ?, error = ?
    WHERE number = ? RETURNING channel, resource, row, queue`),
    noteAttempt: ownStatement<
      readonly [number: number]
    >(`INSERT INTO ninefold_attempts (delivery, number, started_at, took_ms, status, error, answer) VALUES (?1,
    (SELECT coalesce(max(number), 0) + 1 FROM ninefold_attempts WHERE delivery = ?1), ?2, ?3, ?4, ?5, ?6) RETURNING number`),
    forgetAttempts: ownStatement(`DELETE FROM ninefold_attempts WHERE delivery = ? AND number <= ?`),
    endLease: ownStatement<readonly [number: number]>(
      `UPDATE ninefold_deliveries SET lease_until = NULL WHERE number = ? AND fence = ? RETURNING number`,
    ),
    attempts: ownStatement<AttemptColumns>(
      `SELECT number, started_at, took_ms, status, error, answer FROM ninefold_attempts WHERE delivery = ? ORDER BY number DESC`,
    ),
    state: ownStatement<readonly [state: DeliveryRow["state"]]>(
      `SELECT state FROM ninefold_deliveries WHERE number = ?`,
    ),
    nextOfQueue:
      ownStatement(`UPDATE ninefold_deliveries SET due_at = ? WHERE number = (SELECT min(number) FROM ninefold_deliveries
    WHERE ${ofReceiver} AND queue = ? AND state = 'open') AND due_at IS NULL`),
    receiver:
      ownStatement(`INSERT INTO ninefold_receivers AS r (channel, resource, row, failing, not_before, disabled) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET failing = excluded.failing,
      not_before = CASE WHEN r.not_before > excluded.not_before THEN r.not_before ELSE excluded.not_before END,
      disabled = coalesce(excluded.disabled, r.disabled)`),
    receiverDue: ownStatement(
      `UPDATE ninefold_receivers AS r SET due_at = ${receiverDue} WHERE ${ofReceiver}`,
    ),
    open: ownStatement<DueDeliveryColumns>(
      `SELECT ${deliveryColumns}, e.payload ${withEvents} WHERE d.channel = ? AND d.resource = ? AND d.row = ? AND d.state = 'open' ${limit}`,
    ),
    giveUp: ownStatement(
      `UPDATE ninefold_deliveries SET state = 'dead', due_at = NULL, ended_at = ?, error = ? WHERE number = ?`,
    ),
    reopen: ownStatement(
      `UPDATE ninefold_deliveries SET state = 'open', attempts = 0, due_at = ?, ended_at = NULL WHERE number = ?`,
    ),
    hasten: ownStatement(`UPDATE ninefold_deliveries SET due_at = ? WHERE number = ?`),
    reopened: ownStatement(`INSERT INTO ninefold_receivers (channel, resource, row) VALUES (?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET not_before = 0, disabled = NULL`),
    disable:
      ownStatement(`INSERT INTO ninefold_receivers (channel, resource, row, disabled) VALUES ('webhook', ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET disabled = excluded.disabled`),
    enable: ownStatement(
      `UPDATE ninefold_receivers SET disabled = NULL, not_before = 0 WHERE resource = ? AND row = ?`,
    ),
    pause:
      ownStatement(`INSERT INTO ninefold_receivers (channel, resource, row, paused) VALUES ('webhook', ?, ?, ?)
    ON CONFLICT (channel, resource, row) DO UPDATE SET paused = excluded.paused`),
    forget: ownStatement<
      readonly [record: number | null, number: number]
    >(`DELETE FROM ninefold_deliveries WHERE number IN (SELECT number FROM ninefold_deliveries WHERE ended_at < ? ORDER BY ended_at
    ${limit}) RETURNING record, number`),
    forgetReceivers:
      ownStatement(`DELETE FROM ninefold_receivers WHERE (channel, resource, row) IN (SELECT channel, resource, row FROM ninefold_receivers
    WHERE due_at IS NULL AND disabled IS NULL AND paused = 0 ${limit})`),
    olderEvents: ownStatement<readonly [sequence: number, isOld: number]>(
      `SELECT sequence, CASE WHEN time < ? THEN 1 ELSE 0 END FROM ninefold_events WHERE sequence > ? ORDER BY sequence ${limit}`,
    ),
    forgetEvents:
      ownStatement(`${deleteEventsPrefix}DELETE FROM ninefold_events WHERE sequence > ?1 AND sequence <= ?2 AND time < ?3
    AND NOT EXISTS (SELECT 1 FROM ninefold_deliveries d WHERE d.event = sequence)`),
  };
}

export type DeliveryStatements = ReturnType<typeof deliveryStatements>;
