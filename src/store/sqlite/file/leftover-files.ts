/**
 * Removes files that a killed process left next to a store: the copy for a plan, and the copy made
 * before changes that were never applied.
 *
 * The store's owner deletes only files that certainly are one of these. The store records the copy
 * before changes, by name and inode, before the copy gets its final name. The transaction that
 * applies the changes deletes this note. So while the note exists, the copy equals the store.
 * Copies of a store never contain a note about themselves.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreInUse } from "../../errors.ts";
import type { Connection } from "../connection/connection.ts";
import { lockStore, refuseOpenHere } from "./lock.ts";
import { removeCopy } from "./remove-copy.ts";

/** The suffix of an unfinished copy. No backup has it. */
export const unfinishedSuffix = ".making";

/**
 * Records a copy before changes.
 * @param made the complete copy, under its present name
 * @param name its final name
 */
export function recordCopy(connection: Connection, made: string, name: string): void {
  const note = JSON.stringify({ name: basename(name), inode: inodeOf(made) });
  connection.statement("INSERT OR REPLACE INTO ninefold_meta (name, value) VALUES ('copy', ?)").run([note]);
}

/** Deletes the note about a copy: the changes were applied, or the copy was deleted. */
export function forgetCopy(connection: Connection): void {
  connection.statement("DELETE FROM ninefold_meta WHERE name = 'copy'").run([]);
}

/**
 * Deletes the files. Only the store's owner may call it. A file that can't be deleted stays, and
 * doesn't prevent the start.
 */
export function removeLeftBehind(connection: Connection, place: string): void {
  try {
    removeLeftPlans(place);
    // Only the owner of a store makes such copies, and this process is the owner now.
    const prefix = `${basename(place)}.before-`;
    for (const name of readdirSync(dirname(place)))
      if (name.startsWith(prefix) && name.endsWith(unfinishedSuffix)) removeCopy(join(dirname(place), name));
    removeNoted(connection, place);
  } catch {
    // The folder can't be listed, or the disk is full.
  }
}

function removeNoted(connection: Connection, place: string): void {
  const [note] = connection.statement("SELECT value FROM ninefold_meta WHERE name = 'copy'").get([]) ?? [];
  if (typeof note !== "string") return;
  const { name, inode }: { readonly name: string; readonly inode: string } = JSON.parse(note);
  const copy = join(dirname(place), name);
  if (name.startsWith(`${basename(place)}.before-`) && inodeOf(copy) === inode) removeCopy(copy);
  forgetCopy(connection);
}

/** Deletes copies for plans whose process no longer exists. Its lock ended with it. */
export function removeLeftPlans(place: string): void {
  const prefix = `${basename(place)}.plan-`;
  const names = readdirSync(dirname(place)).filter((name) => name.startsWith(prefix));
  const numbers = names.map((name) => /^\d+(?=$|[-.])/.exec(name.slice(prefix.length))?.[0]);
  for (const number of new Set(numbers)) {
    const lock = number === undefined ? undefined : lockUnused(`${place}.plan-${number}`);
    lock?.removeWith();
  }
}

/**
 * Acquires the lock of a copy for a plan.
 * @throws StoreInUse
 */
export function lockPlanCopy(copy: string): { removeWith(): void } {
  refuseOpenHere(copy, copy);
  const lock = lockStore(copy);
  return {
    /** Deletes the copy, and then its lock. */
    removeWith() {
      removeCopy(copy);
      lock.release();
      removeCopy(`${copy}.lock`);
    },
  };
}

function lockUnused(copy: string): ReturnType<typeof lockPlanCopy> | undefined {
  try {
    return lockPlanCopy(copy);
  } catch (error) {
    if (error instanceof StoreInUse) return undefined;
    throw error;
  }
}

function inodeOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
