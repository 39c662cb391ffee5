/**
 * Appended deliveries: those of events that a group stores at its end.
 *
 * Their events are numbered under the lock on the log. So a group inserts its deliveries after its
 * events, and needs no number before.
 */
import type { NewDelivery } from "../deliveries.ts";
import { type Statement, statement } from "../rows/steps.ts";
import type { SqlValue } from "../sql/sql-value.ts";
import { lastNumber } from "./event-log.ts";
import type { Bound } from "./pipeline.ts";
import { postgresStatements } from "./transaction.ts";

/**
 * Inserts deliveries after their events. `back` is the number of later events. A delivery that waits
 * for others of its queue has no due time: `first` is false if these are inserted by the same
 * statement.
 */
const insert = statement(`INSERT INTO ninefold_deliveries (id, channel, event, resource, row, content, queue, record, state, due_at, created_at)
  SELECT id, channel, ${lastNumber} - back, resource, row, content, queue, record, 'open',
    CASE WHEN queue IS NULL OR (first = 1 AND NOT EXISTS (SELECT 1 FROM ninefold_deliveries q WHERE q.channel = d.channel
      AND q.resource = d.resource AND q.row = d.row AND q.queue = d.queue AND q.state = 'open')) THEN created_at END, created_at
  FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::int[])
    WITH ORDINALITY AS d (id, channel, back, resource, row, content, queue, record, created_at, first, place)
  ORDER BY place`);

/** Deliveries, each with the number of events that were appended after its own. */
export type DeliveriesBack = readonly (readonly [delivery: NewDelivery, back: number])[];

/** A statement, and the number of rows that it changes, if that matters. */
export interface DeliveryStatement {
  readonly statement: Statement;
  readonly values: readonly Bound[];
  readonly changes?: number;
}

/** The statements that insert deliveries, and make their receivers due. */
export function insertDeliveries(all: DeliveriesBack): readonly DeliveryStatement[] {
  const queues = new Set<string>();
  const isFirst = (delivery: NewDelivery): 0 | 1 => {
    const name = JSON.stringify([nameOf(delivery), delivery.queue]);
    if (queues.has(name)) return 0;
    queues.add(name);
    return 1;
  };
  const column = (read: (delivery: NewDelivery) => SqlValue) => all.map(([delivery]) => read(delivery));
  const values = [
    column(({ id }) => id),
    column(({ channel }) => channel),
    all.map(([, back]) => back),
    column(({ resource }) => resource),
    column(({ row }) => row),
    column(({ content }) => content),
    column(({ queue }) => queue),
    column(({ record }) => record),
    column(({ createdAt }) => createdAt),
    all.map(([delivery]) => isFirst(delivery)),
  ];
  return [{ statement: insert, values, changes: all.length }, ...receive(all)];
}

/** Makes each receiver due once, for all of its deliveries. */
function receive(all: DeliveriesBack): readonly DeliveryStatement[] {
  const receivers = new Map<string, NewDelivery>();
  const queued = new Set<string>();
  for (const [delivery] of all) {
    const name = nameOf(delivery);
    const { createdAt = delivery.createdAt } = receivers.get(name) ?? {};
    receivers.set(name, { ...delivery, createdAt: Math.min(createdAt, delivery.createdAt) });
    if (delivery.queue !== null) queued.add(name);
  }
  const { receives, receiverDue } = postgresStatements.deliveries;
  return [...receivers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { channel, resource, row, createdAt, revision = null }]) => [
      { statement: receives, values: [channel, resource, row, createdAt, revision] },
      // A delivery that waits for another isn't due.
      ...(queued.has(name) ? [{ statement: receiverDue, values: [channel, resource, row] }] : []),
    ]);
}

function nameOf({ channel, resource, row }: Pick<NewDelivery, "channel" | "resource" | "row">): string {
  return `${channel} ${resource} ${row}`;
}
