/**
 * Appended deliveries: those of events that a group stores at its end.
 *
 * Their events are numbered under the lock on the log. So a group inserts its deliveries after its
 * events, and needs no number before. It reads no deliveries, and changes no receiver:
 * `shared/announcement.ts` makes them due.
 */
import type { NewDelivery } from "../../deliveries.ts";
import { statement } from "../../rows/steps.ts";
import type { SqlValue } from "../../sql/sql-value.ts";
import { lastNumber } from "../statements/event-log.ts";
import type { Bound } from "../connection/pipeline.ts";

/**
 * Inserts deliveries after their events. `back` is the number of later events. A delivery of a queue
 * has no due time before it is announced.
 */
export const insertDeliveries =
  statement(`INSERT INTO ninefold_deliveries (id, channel, event, resource, row, content, queue, record, state, due_at, created_at, revision)
  SELECT id, channel, ${lastNumber} - back, resource, row, content, queue, record, 'open', CASE WHEN queue IS NULL THEN created_at END, created_at, revision
  FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
    WITH ORDINALITY AS d (id, channel, back, resource, row, content, queue, record, created_at, revision, place)
  ORDER BY place`);

/** Deliveries, each with the number of events that were appended after its own. */
export type DeliveriesBack = readonly (readonly [delivery: NewDelivery, back: number])[];

/** The values of `insertDeliveries`. */
export function deliveryValues(all: DeliveriesBack): readonly Bound[] {
  const column = (read: (delivery: NewDelivery) => SqlValue) => all.map(([delivery]) => read(delivery));
  return [
    column(({ id }) => id),
    column(({ channel }) => channel),
    all.map(([, back]) => back),
    column(({ resource }) => resource),
    column(({ row }) => row),
    column(({ content }) => content),
    column(({ queue }) => queue),
    column(({ record }) => record),
    column(({ createdAt }) => createdAt),
    column(({ revision }) => revision ?? null),
  ];
}
