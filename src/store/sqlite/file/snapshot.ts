/**
 * Store snapshot: the whole content of a store at one moment, and stores that start with one.
 * Sandboxes reset to snapshots.
 *
 * `store.ts` decides when a snapshot may be taken. This file moves its bytes out of a database and
 * into one.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { StoreSnapshot } from "../../store.ts";
import { codeOf } from "../../../support/failure.ts";

/**
 * The positions of the two journal marks in the file format. The value 1 means no write-ahead log.
 */
const journalMarks = [18, 19] as const;

/** The content of a store as the bytes of a database file. */
export class SqliteSnapshot implements StoreSnapshot {
  readonly content: Uint8Array;

  /** @param serialized a database's pages, which no other code changes */
  constructor(serialized: Uint8Array) {
    // A database in memory can't be opened with a log. One in a file gets a log when it is opened.
    for (const mark of journalMarks) serialized[mark] = 1;
    this.content = serialized;
  }

  get bytes(): number {
    return this.content.byteLength;
  }
}

/**
 * Replaces the content of a store's file with a snapshot, or with nothing. The caller holds the
 * store's lock, and has no connection to it. The old content stays until the new one is on the
 * disk.
 */
export function replaceContent(place: string, content: Uint8Array): void {
  const sibling = `${place}.restoring`;
  const descriptor = openSync(sibling, "w", 0o600);
  try {
    let written = 0;
    while (written < content.byteLength) written += writeSync(descriptor, content, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  // The log belongs to the old content, and would damage the new one. The index of a log is deleted
  // before the log (`file-location.ts`).
  for (const old of [`${place}-shm`, `${place}-wal`]) rmSync(old, { force: true });
  renameSync(sibling, place);
  syncFolder(dirname(place));
}

/** Makes a new name durable, by writing its folder to the disk. Some systems don't support that. */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch (error) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL"].includes(codeOf(error) ?? "")) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
