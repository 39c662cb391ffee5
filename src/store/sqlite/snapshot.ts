/**
 * The whole content of a store at one moment, and stores that begin with one: what sandboxes reset to and restore. When a snapshot
 * may be taken is known to `store.ts`; here stands how its bytes come out of a database and into one.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { StoreSnapshot } from "../store.ts";
import { codeOf } from "../../support/failure.ts";

/** Where the file format has its two journal marks: 1 means that there is no write-ahead log beside it. */
const journalMarks = [18, 19] as const;

export class SqliteSnapshot implements StoreSnapshot {
  readonly content: Uint8Array;

  /** @param serialized a database's pages, which nobody else changes */
  constructor(serialized: Uint8Array) {
    // A database in memory can't be opened with a log, and one in a file gets its own when it is opened.
    for (const mark of journalMarks) serialized[mark] = 1;
    this.content = serialized;
  }

  get bytes(): number {
    return this.content.byteLength;
  }
}

/**
 * Puts a snapshot, or nothing, in the place of a store's file; the caller holds the store's lock and has no connection to it. The old
 * content stands until the new one is on the disk.
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
  // The log belongs to the old content: read with the new one it would damage it. What is kept beside a log goes before it (`place.ts`).
  for (const old of [`${place}-shm`, `${place}-wal`]) rmSync(old, { force: true });
  renameSync(sibling, place);
  syncFolder(dirname(place));
}

/** The new name lasts once its folder is on the disk; some systems can't say so of a folder. */
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
