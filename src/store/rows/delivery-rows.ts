/** Rows of deliveries, receivers and attempts as they are told. */
import type { AttemptRow, DeliveryRow, DueDelivery, Receiver, ReceiverRow } from "../deliveries.ts";
import type { Row } from "./steps.ts";

/** What `dueDelivery` reads, before the event's payload: of `d`, and of its event `e`. */
export const deliveryColumns = `d.number, d.id, d.channel, d.event, d.resource, d.row, d.content, d.queue, d.state, d.attempts, d.due_at, d.created_at,
    d.last_at, d.ended_at, d.status, d.error, e.id, e.type, e.time, e.subject, d.record`;

export function dueDelivery(row: Row): DueDelivery {
  return { ...deliveryRow(row), payload: row[21] as string };
}

export function receiverRow([
  channel,
  resource,
  row,
  failing,
  paused,
  disabled,
  dueAt,
  open,
]: Row): ReceiverRow {
  return {
    channel: channel as Receiver["channel"],
    resource: resource as string,
    row: row as number,
    isFailing: failing === 1,
    isPaused: paused === 1,
    disabledRevision: disabled as number | null,
    dueAt: dueAt as number | null,
    open: Number(open),
  };
}

export function attemptRow([number, startedAt, durationMs, status, error, answer]: Row): AttemptRow {
  return {
    number: number as number,
    startedAt: startedAt as number,
    durationMs: durationMs as number,
    status: status as number | null,
    error: error as string | null,
    answer: answer as string | null,
  };
}

export function deliveryRow(row: Row): DeliveryRow {
  return {
    number: row[0] as number,
    id: row[1] as string,
    channel: row[2] as Receiver["channel"],
    event: row[3] as number,
    resource: row[4] as string,
    row: row[5] as number,
    content: row[6] as string | null,
    queue: row[7] as string | null,
    state: row[8] as DeliveryRow["state"],
    attempts: row[9] as number,
    dueAt: row[10] as number | null,
    createdAt: row[11] as number,
    lastAt: row[12] as number | null,
    endedAt: row[13] as number | null,
    status: row[14] as number | null,
    error: row[15] as string | null,
    eventId: row[16] as string,
    eventType: row[17] as string,
    eventTime: row[18] as string,
    subject: row[19] as string,
    record: row[20] as number | null,
  };
}
