/**
 * Store lock: one process owns a store.
 *
 * It is an operating system lock on a small file next to the store (`x.db.lock`), held through
 * SQLite as an open write transaction. It ends with the process in every case, and no stale process
 * ID has to be interpreted. Readers aren't blocked, so the owner's details stay readable.
 */
import { existsSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreInUse } from "../../errors.ts";
import { isBusy } from "../connection/failures.ts";
import { machine } from "../../../support/machine.ts";

/** The operations address of the process that has a store, and the token for it. */
export interface OwnerAddress {
  readonly operations: string;
  readonly token: string;
}

/** The present or last owner of a store. */
export interface StoreOwner extends Partial<OwnerAddress> {
  readonly pid: number;
  readonly since: string;
}

export interface Lock {
  /** @param isLast whether to delete the lock file too, because the store no longer exists */
  release(isLast?: boolean): void;
}

/**
 * The lock files that this process holds, by device and inode. When a process closes a file once,
 * the system releases all of its locks on that file. Code must therefore never reopen a store's
 * files to check whether they are open.
 */
const lockedPaths = new Set<string>();

/**
 * Checks that this process doesn't have the store open, under any name. Opens no file.
 * @throws StoreInUse
 */
export function refuseOpenHere(path: string, place: string): void {
  const key = keyOf(place);
  if (key === undefined || !lockedPaths.has(key)) return;
  throw new StoreInUse(
    `${path} is in use by this process (${process.pid}).`,
    "Close it first, or name another store.",
  );
}

function keyOf(place: string): string | undefined {
  const found = statSync(`${place}.lock`, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Acquires the lock, without waiting.
 * @throws StoreInUse
 */
export function lockStore(path: string, reachedAt?: OwnerAddress): Lock {
  for (;;) {
    const lock = lockFile(path, reachedAt);
    if (lock) return lock;
  }
}

/**
 * Acquires the lock once. Undefined if the last owner removed the lock file after it was opened
 * here, because another one may have its name now.
 */
function lockFile(path: string, reachedAt: OwnerAddress | undefined): Lock | undefined {
  const since = new Date(machine.now()).toISOString();
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE; DROP TABLE IF EXISTS owner");
    database.exec(
      "CREATE TABLE owner (pid INTEGER NOT NULL, since TEXT NOT NULL, operations TEXT, token TEXT) STRICT",
    );
    database
      .prepare("INSERT INTO owner VALUES (?, ?, ?, ?)")
      .run(process.pid, since, reachedAt?.operations ?? null, reachedAt?.token ?? null);
    database.exec("COMMIT");
    // A process that opens the file between the transactions finds this owner in it. Only one of
    // the two gets the lock.
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    const owner = isBusy(error) ? readOwner(database) : undefined;
    database.close();
    if (!isBusy(error)) throw error;
    const who = owner ? ` (process ${owner.pid}, since ${owner.since})` : "";
    throw new StoreInUse(
      `${path} is in use by another process${who}.`,
      "Stop that process, or name another store.",
      error,
    );
  }
  const owner = ownerOf(path);
  if (owner?.pid !== process.pid || owner.since !== since) {
    database.close();
    return undefined;
  }
  const key = keyOf(path);
  if (key !== undefined) lockedPaths.add(key);
  return {
    release(isLast = false) {
      // Deleted before the release: the next owner must not lock a file without a name.
      if (isLast) rmSync(`${path}.lock`, { force: true });
      else leave(database);
      database.close();
      if (key !== undefined) lockedPaths.delete(key);
    },
  };
}

/** Removes the owner, in the transaction that was the lock: the next owner finds no predecessor. */
function leave(database: DatabaseSync): void {
  try {
    database.exec("DELETE FROM owner; COMMIT");
  } catch {
    // The lock file was deleted, or the disk is full. The old entry stays, and its address doesn't
    // respond.
  }
}

/**
 * The present or last owner of a store. Whether its process still runs is unknown here. Takes no
 * lock.
 */
export function ownerOf(place: string): StoreOwner | undefined {
  if (!existsSync(`${place}.lock`)) return undefined;
  const database = new DatabaseSync(`${place}.lock`, { readOnly: true, timeout: 0 });
  try {
    return readOwner(database);
  } finally {
    database.close();
  }
}

function readOwner(database: DatabaseSync): StoreOwner | undefined {
  try {
    const owner = database.prepare("SELECT * FROM owner").get();
    if (!owner) return undefined;
    const { pid, since, operations, token } = owner;
    return {
      pid: Number(pid),
      since: String(since),
      ...(typeof operations === "string" && typeof token === "string" ? { operations, token } : {}),
    };
  } catch {
    // The owner is writing its entry right now. The error is clear enough without it.
    return undefined;
  }
}
