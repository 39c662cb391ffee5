/**
 * Announcement of deliveries: makes the receivers of new deliveries due.
 *
 * A write only inserts its deliveries. If it changed the row of their receiver, concurrent writes of
 * several instances would conflict in it. So an instance that claims deliveries announces the new ones
 * first. Events are stored in the order of their numbers, so the last announced number suffices to
 * find them.
 *
 * The result of an attempt and an announcement exclude each other: both change the row of the
 * receiver. Without that, a delivery that waits for others of its queue could miss their end.
 */
import { lastSequence } from "../statements/event-log.ts";

const isNew = "event > start AND event <= until AND state = 'open'";

/** Each statement of the function sees what was committed while it waited for a lock. */
const announce = `CREATE OR REPLACE FUNCTION ninefold_announce() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  start bigint;
  until bigint;
BEGIN
  -- Without new deliveries, nothing is locked or written.
  IF NOT EXISTS (SELECT FROM ninefold_announced WHERE event < (SELECT max(event) FROM ninefold_deliveries)) THEN
    RETURN;
  END IF;
  -- A group that runs alone after conflicts excludes announcements too.
  LOCK TABLE ninefold_turn IN ROW SHARE MODE;
  SELECT event INTO start FROM ninefold_announced FOR UPDATE SKIP LOCKED;
  -- Another instance announces them now.
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT max(event) INTO until FROM ninefold_deliveries;
  IF until <= start THEN
    RETURN;
  END IF;
  -- Locks the receivers. A row must exist until the end, so an existing one is updated.
  INSERT INTO ninefold_receivers AS r (channel, resource, row)
    SELECT DISTINCT channel, resource, row FROM ninefold_deliveries WHERE ${isNew}
    ORDER BY channel, resource, row ON CONFLICT (channel, resource, row) DO UPDATE SET due_at = r.due_at;
  -- In a queue, only the first one is due.
  UPDATE ninefold_deliveries SET due_at = created_at WHERE number IN (SELECT min(q.number)
    FROM (SELECT DISTINCT channel, resource, row, queue FROM ninefold_deliveries WHERE ${isNew} AND queue IS NOT NULL) AS n
    JOIN ninefold_deliveries q USING (channel, resource, row, queue)
    WHERE q.state = 'open' GROUP BY q.channel, q.resource, q.row, q.queue HAVING count(q.due_at) = 0);
  UPDATE ninefold_receivers r SET
    disabled = CASE WHEN n.revision IS NULL OR r.disabled >= n.revision THEN r.disabled END,
    due_at = (SELECT CASE WHEN r.not_before > min(q.due_at) THEN r.not_before ELSE min(q.due_at) END FROM ninefold_deliveries q
      WHERE q.state = 'open' AND q.channel = r.channel AND q.resource = r.resource AND q.row = r.row)
    FROM (SELECT channel, resource, row, max(revision) AS revision FROM ninefold_deliveries WHERE ${isNew} GROUP BY channel, resource, row) AS n
    WHERE n.channel = r.channel AND n.resource = r.resource AND n.row = r.row;
  UPDATE ninefold_announced SET event = until;
END $$`;

/**
 * Statements that every start runs. Before the table exists, each write makes its receivers due
 * itself.
 */
export const announcement: readonly string[] = [
  "CREATE TABLE IF NOT EXISTS ninefold_announced (event bigint NOT NULL)",
  `INSERT INTO ninefold_announced SELECT coalesce((${lastSequence}), 0) WHERE NOT EXISTS (SELECT FROM ninefold_announced)`,
  announce,
];

/** Announces new deliveries. */
export const announceDeliveries = "SELECT ninefold_announce()";

/** A query whether a schema has announcements. An earlier Ninefold created it otherwise. */
export const hasAnnouncements = "SELECT to_regproc('ninefold_announce') IS NOT NULL";
