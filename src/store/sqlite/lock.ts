/**
 * One process owns a store. The lock is a lock of the operating system on a small file beside the store (`x.db.lock`), held
 * through SQLite as an open write transaction: it ends with the process, however that ends, and needs no guess whether a
 * number of a process is still the same process. Who holds it can still be read, since readers aren't kept out.
 */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreInUse } from "../errors.ts";
import { isBusy } from "./failures.ts";

export interface Lock {
  release(): void;
}

/**
 * The lock files that this process holds, by device and inode. The system gives all of a process's locks on a file back when the process
 * closes that file once, whoever opened it: so nothing may open a store's files a second time to find out that they are open.
 */
const held = new Set<string>();

/** @throws StoreInUse where this very process has the store open, under whatever name. Opens nothing. */
export function refuseOwn(path: string, place: string): void {
  const key = keyOf(place);
  if (key === undefined || !held.has(key)) return;
  throw new StoreInUse(
    `${path} is in use by this process (${process.pid}).`,
    "Close it first, or name another store.",
  );
}

function keyOf(place: string): string | undefined {
  const found = statSync(`${place}.lock`, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Takes the lock, or throws `StoreRefused` at once. */
export function lockStore(path: string): Lock {
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    database.exec("CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL, since TEXT NOT NULL) STRICT");
    database.exec("BEGIN IMMEDIATE; DELETE FROM owner");
    database.prepare("INSERT INTO owner VALUES (?, ?)").run(process.pid, new Date().toISOString());
    database.exec("COMMIT");
    // Whoever slips in between finds this name in it, and one of both is refused here.
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    const owner = isBusy(error) ? readOwner(database) : undefined;
    database.close();
    if (!isBusy(error)) throw error;
    throw new StoreInUse(
      `${path} is in use by another process${owner === undefined ? "" : ` (${owner})`}.`,
      "Stop that process, or give this one another store.",
      error,
    );
  }
  const key = keyOf(path);
  if (key !== undefined) held.add(key);
  return {
    release() {
      database.close();
      if (key !== undefined) held.delete(key);
    },
  };
}

function readOwner(database: DatabaseSync): string | undefined {
  try {
    const owner = database.prepare("SELECT pid, since FROM owner").get();
    return owner ? `process ${owner["pid"]}, since ${owner["since"]}` : undefined;
  } catch {
    // It is being written at this moment; the refusal says enough without the name.
    return undefined;
  }
}
