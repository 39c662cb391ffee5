/** Rows of deliveries, receivers and attempts, decoded for the operations API. */
import type { AttemptRow, DeliveryRow, DueDelivery, Receiver, ReceiverRow } from "../deliveries.ts";
import type { Row } from "./steps.ts";

/** Columns of a delivery `d` and its event `e`. */
export const deliveryColumns = `d.number, d.id, d.channel, d.event, d.resource, d.row, d.content, d.queue, d.state, d.attempts, d.due_at, d.created_at,
    d.last_at, d.ended_at, d.status, d.error, e.id, e.type, e.time, e.subject, d.record`;
export type DeliveryColumns = readonly [
  number: number,
  id: string,
  channel: Receiver["channel"],
  event: number,
  resource: string,
  row: number,
  content: string | null,
  queue: string | null,
  state: DeliveryRow["state"],
  attempts: number,
  dueAt: number | null,
  createdAt: number,
  lastAt: number | null,
  endedAt: number | null,
  status: number | null,
  error: string | null,
  eventId: string,
  eventType: string,
  eventTime: string,
  subject: string,
  record: number | null,
];

/** Columns of a delivery, and the event's payload. */
export type DueDeliveryColumns = readonly [...DeliveryColumns, payload: string];
/** A row that starts with these columns. Further ones belong to the caller that selected them. */
type Beginning<Columns extends Row> = readonly [...Columns, ...unknown[]];

export type ReceiverColumns = readonly [
  channel: Receiver["channel"],
  resource: string,
  row: number,
  failing: number,
  paused: number,
  disabled: number | null,
  dueAt: number | null,
  open: number,
];

export type AttemptColumns = readonly [
  number: number,
  startedAt: number,
  durationMs: number,
  status: number | null,
  error: string | null,
  answer: string | null,
];

export function dueDelivery(row: Beginning<DueDeliveryColumns>): DueDelivery {
  return { ...deliveryRow(row), payload: row[21] };
}

export function receiverRow([
  channel,
  resource,
  row,
  failing,
  paused,
  disabledRevision,
  dueAt,
  open,
]: ReceiverColumns): ReceiverRow {
  const isFailing = failing === 1;
  const isPaused = paused === 1;
  return { channel, resource, row, isFailing, isPaused, disabledRevision, dueAt, open: Number(open) };
}

export function attemptRow([
  number,
  startedAt,
  durationMs,
  status,
  error,
  answer,
]: AttemptColumns): AttemptRow {
  return { number, startedAt, durationMs, status, error, answer };
}

export function deliveryRow(row: Beginning<DeliveryColumns>): DeliveryRow {
  return {
    number: row[0],
    id: row[1],
    channel: row[2],
    event: row[3],
    resource: row[4],
    row: row[5],
    content: row[6],
    queue: row[7],
    state: row[8],
    attempts: row[9],
    dueAt: row[10],
    createdAt: row[11],
    lastAt: row[12],
    endedAt: row[13],
    status: row[14],
    error: row[15],
    eventId: row[16],
    eventType: row[17],
    eventTime: row[18],
    subject: row[19],
    record: row[20],
  };
}
