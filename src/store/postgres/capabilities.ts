/**
 * Server capabilities: tests whether the server really locks, isolates, and undoes statements over
 * tables.
 *
 * Some databases accept such statements without effect. Instances would then believe that they hold
 * a lock, and silently lose data. Name and version of a server don't show this.
 */
import { StoreRefused } from "../errors.ts";
import { quotedText } from "../sql/fragment.ts";
import type { PostgresAddress } from "./connection/address.ts";
import type { PostgresConnection } from "./connection/connection.ts";
import { isConflict, isLockTimeout } from "./connection/failures.ts";
import { servingProcesses } from "./migrations/migration-lock.ts";

type Session = Pick<PostgresConnection, "go">;

const probe = quotedText("isolation probe");
const otherProbe = quotedText("isolation probe of another session");

/**
 * Tests in two sessions what a second instance would do. The schema must be prepared.
 * @param holder a session that holds the migration lock
 * @throws StoreRefused if a capability is missing
 */
export async function refuseLackingCapabilities(
  holder: Session,
  other: Session,
  address: PostgresAddress,
): Promise<void> {
  const missing: string[] = [];
  if (!(await locksTables(holder, other))) missing.push("LOCK TABLE");
  // A write of a serving instance could conflict with this test. That instance has tested already.
  const isFirst = (await servingProcesses(holder, address)).length === 0;
  if (isFirst && !(await isolates(holder, other))) missing.push("SERIALIZABLE");
  if (missing.length === 0) return;
  throw new StoreRefused(
    `${address.shown} accepts statements without effect: ${missing.join(", ")}. Instances could not exclude each other.`,
    "Name a PostgreSQL server, or see docs/guides/scaling.md for other databases.",
  );
}

async function locksTables(holder: Session, other: Session): Promise<boolean> {
  await holder.go("BEGIN; LOCK TABLE ninefold_turn IN ROW SHARE MODE");
  try {
    await other.go("BEGIN; LOCK TABLE ninefold_turn IN EXCLUSIVE MODE NOWAIT");
    return false;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return true;
  } finally {
    for (const session of [other, holder]) await session.go("ROLLBACK");
  }
}

/**
 * Whether SERIALIZABLE works. Each of two transactions reads what the other inserts; in a serial
 * order, one of them would see it.
 */
async function isolates(holder: Session, other: Session): Promise<boolean> {
  const read = `SELECT count(*) FROM ninefold_settings WHERE name IN (${probe}, ${otherProbe})`;
  const forget = `DELETE FROM ninefold_settings WHERE name IN (${probe}, ${otherProbe})`;
  // A process that was killed in this test has left its row.
  await holder.go(forget);
  try {
    for (const session of [holder, other]) await session.go(`BEGIN ISOLATION LEVEL SERIALIZABLE; ${read}`);
    await holder.go(`INSERT INTO ninefold_settings VALUES (${probe}, '')`);
    await other.go(`INSERT INTO ninefold_settings VALUES (${otherProbe}, '')`);
    for (const session of [holder, other]) await session.go("COMMIT");
    return false;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return true;
  } finally {
    for (const session of [other, holder]) await session.go("ROLLBACK");
    await holder.go(forget);
  }
}

/** Whether the server undoes the creation of a table. */
export async function undoesTables(session: Session): Promise<boolean> {
  await session.go("BEGIN; CREATE TABLE IF NOT EXISTS ninefold_probe ()");
  await session.go("ROLLBACK");
  const [row] = await session.go("SELECT to_regclass('ninefold_probe') IS NULL");
  if (row?.[0] === true) return true;
  await session.go("DROP TABLE ninefold_probe");
  return false;
}
