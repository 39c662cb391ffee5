/** Operations that PostgreSQL stores don't support, because the server's own tools do them. */
import { StoreRefused } from "../errors.ts";
import { addressOf, isPostgres } from "./connection/address.ts";

/**
 * @param what the operation, such as `backed up`
 * @param instead what to do instead
 */
function onlyFiles(path: string, what: string, instead: string): void {
  if (isPostgres(path))
    throw new StoreRefused(`${addressOf(path).shown} isn't ${what} by Ninefold.`, instead);
}

/** Rejects initial content for a store in PostgreSQL. */
export function refuseInitialContent(initialContent: unknown, path: string): void {
  if (initialContent !== undefined)
    onlyFiles(
      path,
      "emptied or initialised from a snapshot",
      "Keep data spaces in files or in memory; name another schema for a new store.",
    );
}

/**
 * Rejects backup and restore of a store in PostgreSQL.
 * @throws StoreRefused
 */
export function refuseBackup(path: string): void {
  const { schema } = isPostgres(path) ? addressOf(path) : { schema: "" };
  onlyFiles(
    path,
    "backed up or restored",
    `Use pg_dump --schema=${schema} and pg_restore, or the server's own continuous archiving.`,
  );
}
