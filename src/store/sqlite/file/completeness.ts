/**
 * Completeness of a store's file, which a mark in the file records.
 *
 * While a store is open, its last changes are in the log next to the file. A copy of the file alone
 * opens too, with less data. The mark is therefore cleared while the store is open, and set in
 * every backup. Meanwhile the log is never empty, because the cleared mark is its first change.
 */
import { basename } from "node:path";
import { StoreRefused } from "../../errors.ts";
import type { Connection } from "../connection/connection.ts";

const setClean = "INSERT OR REPLACE INTO ninefold_meta (name, value) VALUES ('clean', ?)";

/**
 * Marks the file as incomplete, and copies the mark into the file itself, whatever else stays in
 * the log.
 */
export function markOpen(connection: Connection): void {
  connection.statement(setClean).run(["0"]);
  // A passive checkpoint doesn't wait for readers.
  connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

/** Marks the file as complete, which is true once the log is copied into it. */
export function markComplete(connection: Connection): void {
  connection.statement(setClean).run(["1"]);
}

/**
 * Whether the file is marked as complete. A store of an earlier release has no mark, and is
 * accepted as it is.
 */
export function isComplete(connection: Connection): boolean {
  const found = connection.prepare("SELECT value FROM ninefold_meta WHERE name = 'clean'").get([]);
  return found?.[0] !== "0";
}

/** The refusal of a store whose log is missing. */
export function missingLog(path: string): StoreRefused {
  const name = basename(path);
  return new StoreRefused(
    `${path} was open when it was left or copied, and ${name}-wal, which had its last changes, is missing.`,
    `Put ${name}-wal back, or restore a backup (\`ninefold backup\` makes complete ones). If it was empty, or another program merged it into the file, continue without it: --accept-missing-log.`,
  );
}
