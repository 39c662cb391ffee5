/** What the engine's own rows say of records that are gone, made unreadable: the log of events, deliveries, kept answers. */
import type { Blanked, LoggedRecord, Traces } from "../store.ts";
import type { Connection } from "./connection.ts";

/** What stands there instead. */
const erased = '{"erased":true}';

const key = "resource || ' ' || row";
const isOne = (place: number) => `${key} IN (SELECT value FROM json_each(?${place}))`;
const hasOne = (place: number, text: string) =>
  `EXISTS (SELECT 1 FROM json_each(?${place}) AS said WHERE instr(${text}, said.value) > 0)`;
const told = "payload || coalesce(record, '')";

/** A text within its quotes, in a path. */
const names =
  "EXISTS (SELECT 1 FROM json_each(?2) AS said WHERE instr(path, substr(said.value, 2, length(said.value) - 2)) > 0)";

const sql = {
  // The identifier may be a name.
  events: `UPDATE ninefold_events SET payload = ?1, subject = '', record = CASE WHEN record IS NULL THEN NULL ELSE ?1 END
    WHERE ${isOne(2)} OR ${hasOne(4, told)} OR (${isOne(3)} AND ${hasOne(5, told)}) RETURNING sequence`,
  ofEvents: "event IN (SELECT value FROM json_each(?1))",
  receivers:
    "DELETE FROM ninefold_receivers WHERE resource || ' ' || row IN (SELECT value FROM json_each(?1))",
  // The path stays where it names nobody, for a request that is repeated is known by it.
  answers: `UPDATE ninefold_idempotency SET body = ?1, headers = '[]', path = CASE WHEN ${names} THEN '' ELSE path END
    WHERE body <> ?1 AND (${hasOne(2, "body || headers")} OR ${names})`,
};

export function blankTraces(connection: Connection, { gone, cleared, identifying, texts }: Traces): Blanked {
  const keys = (records: readonly LoggedRecord[]) =>
    JSON.stringify(records.map(({ resource, row }) => `${resource} ${row}`));
  const all = JSON.stringify(texts);
  const events = connection
    .prepare(sql.events)
    .all([erased, keys(gone), keys(cleared), JSON.stringify(identifying), all])
    .map(([sequence]) => sequence as number);
  const deliveries = blankDeliveries(connection, JSON.stringify(events), keys(gone));
  connection.prepare(sql.receivers).run([keys(gone)]);
  const answers = connection.prepare(sql.answers).run([erased, all]).changes;
  return { events: events.length, deliveries, answers };
}

/** Of what told of it, and of what was told to it, nothing is left but that it was told; what was to be sent isn't. */
function blankDeliveries(connection: Connection, events: string, keys: string): number {
  const where = `${sql.ofEvents} OR ${key} IN (SELECT value FROM json_each(?2))`;
  connection
    .prepare(
      `UPDATE ninefold_attempts SET error = NULL, answer = NULL WHERE delivery IN (SELECT number FROM ninefold_deliveries WHERE ${where})`,
    )
    .run([events, keys]);
  const open = `FROM ninefold_deliveries WHERE state = 'open' AND (${where})`;
  connection
    .prepare(`DELETE FROM ninefold_attempts WHERE delivery IN (SELECT number ${open})`)
    .run([events, keys]);
  const dropped = connection.prepare(`DELETE ${open}`).run([events, keys]).changes;
  const kept = connection
    .prepare(`UPDATE ninefold_deliveries SET content = ?3, error = NULL WHERE ${where}`)
    .run([events, keys, erased]).changes;
  return dropped + kept;
}
