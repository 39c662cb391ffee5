/**
 * Unfinished changes of tables, on a server that doesn't undo statements over tables.
 *
 * PostgreSQL undoes all of a change that fails or whose process is killed. Other servers accept a
 * transaction, and still keep each statement over tables. So a change is marked there, and a start
 * that finds the mark is refused.
 */
import { StoreRefused } from "../../errors.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { isLockTable } from "../connection/session-locks.ts";
import type { StatementRunner } from "./usability.ts";

/** The name of the mark in the schema's metadata. */
export const unfinishedChangeKey = "changing";

/** @param found the mark, if there is one @throws StoreRefused */
export function refuseUnfinishedChange(found: string | undefined, { shown, schema }: PostgresAddress): void {
  if (found === undefined) return;
  throw new StoreRefused(
    `A change of the tables of ${shown} was interrupted, and the server doesn't undo it. Some tables may be changed, and others not.`,
    `Drop the schema ${schema}, restore it from a backup made before the change, and start again.`,
  );
}

/**
 * Refuses a schema that has only some of the engine's own tables.
 * @throws StoreRefused
 */
export async function refuseUnfinishedCreation(
  session: StatementRunner,
  { shown, schema }: PostgresAddress,
): Promise<void> {
  const [found] = await session.go(
    `SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND starts_with(relname, 'ninefold_') AND NOT ${isLockTable} LIMIT 1`,
  );
  if (!found) return;
  throw new StoreRefused(
    `The creation of the store ${shown} was interrupted, and the server doesn't undo it.`,
    `Drop the schema ${schema}, and start again.`,
  );
}
