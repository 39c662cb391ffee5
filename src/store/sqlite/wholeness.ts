/**
 * Whether a store's file is complete. While a store is open, its last changes are in the log next to the file; a copy
 * of the file alone opens too, with less data. The file therefore has a mark that says whether it is complete. The
 * mark is cleared while the store is open, and set in every backup. Between, the log is never empty, because the
 * cleared mark is its first change.
 */
import { basename } from "node:path";
import { StoreRefused } from "../errors.ts";
import type { Connection } from "./connection.ts";

const setClean = "INSERT OR REPLACE INTO ninefold_meta (name, value) VALUES ('clean', ?)";

/** From now on the file marks itself as complete, whatever else is still in the log. */
export function markOpen(connection: Connection): void {
  connection.statement(setClean).run(["0"]);
  // Passive: it doesn't wait for readers.
  connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

/** Marks the file as complete: it is, once the log is folded into it. */
export function markWhole(connection: Connection): void {
  connection.statement(setClean).run(["1"]);
}

/** A store of an earlier release has no mark, and is accepted as it is. */
export function isWhole(connection: Connection): boolean {
  const found = connection.prepare("SELECT value FROM ninefold_meta WHERE name = 'clean'").get([]);
  return found?.[0] !== "0";
}

export function missingLog(path: string): StoreRefused {
  const name = basename(path);
  return new StoreRefused(
    `${path} was open when it was left or copied, and ${name}-wal, which had its last changes, is missing.`,
    `Put ${name}-wal back, or restore a backup (\`ninefold backup\` makes complete ones). If it was empty, or another program merged it into the file, continue without it: --accept-missing-log.`,
  );
}
