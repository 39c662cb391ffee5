/**
 * Sibling copy: copies a store to a file next to it before data is deleted or converted.
 *
 * Only the owner of the store makes one. It gets its final name only when it is complete, on the
 * disk and checked.
 */
import { existsSync, renameSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreRefused } from "../../errors.ts";
import { formatApproximateSize } from "../../../support/quantity.ts";
import { checkCopy, finishCopy } from "./backup.ts";
import { removeCopy } from "../file/remove-copy.ts";
import type { Connection } from "../connection/connection.ts";
import { isFull } from "../connection/failures.ts";
import { unfinishedSuffix, forgetCopy, recordCopy } from "../file/leftover-files.ts";
import { inMemory, isDiskFull, createPrivateFiles } from "../file/open-file.ts";
import { realPath, sizeOf } from "../file/file-location.ts";
import { syncFolder } from "../file/snapshot.ts";
import { messageOf } from "../../../support/failure.ts";

/**
 * The space that a migration needs, as a multiple of the store's size: the copy, the migrated
 * store, and the log between them.
 */
export const sizesNeeded = 3;

export interface DiskSpace {
  /**
   * The temporary space on the store's disk that stored changes need, including the copy; in bytes.
   */
  readonly needed: number;
  /** The free space of its disk in bytes; null if unknown. */
  readonly free: number | null;
}

/** The space that a migration of a store needs, and the free space of its disk. */
export function migrationSpace(path: string): DiskSpace {
  const place = realPath(path);
  return { needed: sizesNeeded * (sizeOf(place) + sizeOf(`${place}-wal`)), free: freeAt(dirname(place)) };
}

function freeAt(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** An unused name for the copy of a store before a change. */
export function copyName(path: string, before: string): string {
  const name = `${path}.before-${before.replaceAll(/[^\w.-]+/g, "-")}`;
  let free = name;
  for (let number = 2; existsSync(free); number += 1) free = `${name}-${number}`;
  return free;
}

/**
 * Copies a store, and returns the path of the copy; null for a store in memory.
 * @param options.before the name of the next step
 * @throws StoreRefused if there is not enough space; then nothing was changed
 */
export async function copyToSibling(
  connection: Connection,
  path: string,
  options: { readonly before: string; readonly onPages?: (done: number, all: number) => void },
): Promise<string | null> {
  if (path === inMemory) return null;
  const { needed, free } = migrationSpace(path);
  if (free !== null && free < needed)
    throw new StoreRefused(
      `Changing ${path} needs ${formatApproximateSize(needed)} on its disk temporarily, and ${formatApproximateSize(free)} are free. Nothing was changed.`,
      "Free space on it for a copy of the store, for the changed store, and for the log.",
    );
  const copy = copyName(path, options.before);
  const part = `${copy}${unfinishedSuffix}`;
  try {
    // Deletes what a killed process has left.
    removeCopy(part);
    createPrivateFiles(part);
    await connection.copyTo(part, options.onPages);
    finishCopy(part);
    checkCopy(part, copy, false);
    recordCopy(connection, part, copy);
    renameSync(part, copy);
    syncFolder(dirname(resolve(copy)));
    return copy;
  } catch (error) {
    removeCopy(part);
    forgetQuietly(connection);
    if (error instanceof StoreRefused) throw error;
    const words = isFull(error) || isDiskFull(error) ? "the disk is full" : messageOf(error);
    throw new StoreRefused(
      `${copy}, the copy of the store that is made first, can't be written: ${words}. Nothing was changed.`,
      "Free space for it, and check the permissions of its folder.",
      error,
    );
  }
}

/** Deletes a copy that has no use, because nothing was changed. */
export function removeSibling(connection: Connection, copy: string): void {
  removeCopy(copy);
  forgetQuietly(connection);
}

/** Deletes the note about a copy. A note about a deleted copy is harmless. */
function forgetQuietly(connection: Connection): void {
  try {
    forgetCopy(connection);
  } catch {
    // The error of the rejected operation already says why nothing can be written.
  }
}
