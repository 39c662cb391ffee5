/**
 * Online backup: a copy of a store at one moment, while it is being written.
 *
 * Pages are copied inside one read transaction of a separate connection, so that no commit restarts
 * the copy. The copy gets its final name only when it is complete, on the disk and verified.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { documentText, textMeta } from "../../document-text.ts";
import { StoreInUse, StoreRefused } from "../../errors.ts";
import { writeChecksum } from "./checksum.ts";
import { type Connection, openCopy, openReadOnly } from "../connection/connection.ts";
import { isFull } from "../connection/failures.ts";
import {
  checkFormat,
  hasMagic,
  storeErrorOf,
  isDiskFull,
  createPrivateFiles,
  notAStore,
} from "../file/open-file.ts";
import { checkFileSet, realPath, sizeOf } from "../file/file-location.ts";
import { type Lock, lockStore, refuseOpenHere } from "../file/lock.ts";
import { removeCopy } from "../file/remove-copy.ts";
import { syncFolder } from "../file/snapshot.ts";
import { isComplete, markComplete, missingLog } from "../file/completeness.ts";
import { quoted } from "../../sql/fragment.ts";
import { codeOf, messageOf } from "../../../support/failure.ts";

export interface StoreContent {
  /** The name of the document that the store belongs to; null if it has never been served. */
  readonly document: string | null;
  /** The number of records, including those marked as deleted. */
  readonly records: number;
  /** The sequence of the last stored event; 0 if there was none. */
  readonly lastEvent: number;
}

export interface BackupResult extends StoreContent {
  readonly bytes: number;
}

export interface BackupOptions {
  /** Whether to compare every index with its records too, which takes ten times as long. */
  readonly checksIndexes?: boolean;
  readonly onPages?: (done: number, all: number) => void;
  /** Whether to write no checksum file, because the caller has another checksum. */
  readonly isUnsummed?: boolean;
}

/**
 * Makes a backup of a store.
 * @throws StoreRefused; a file with the backup's name is unchanged then
 */
export async function backUpFile(
  path: string,
  to: string,
  options: BackupOptions = {},
): Promise<BackupResult> {
  refuseTaken(to);
  const part = `${to}.part`;
  const source = openSource(path);
  let lock: Lock | undefined;
  try {
    lock = lockBackup(part, to);
    // Another process, which held the lock, may have created the file.
    refuseTaken(to);
    // Deletes what a killed process has left.
    removeCopy(part);
    createPrivateFiles(part);
    source.exec("BEGIN");
    const counted = countsOf(source);
    await source.copyTo(part, options.onPages);
    source.exec("COMMIT");
    finishCopy(part);
    const content = checkCopy(part, to, options.checksIndexes === true, counted);
    // The checksum is written first, so that no backup exists without it.
    if (!options.isUnsummed) await writeChecksum(part, to);
    renameSync(part, to);
    syncFolder(dirname(to));
    return { ...content, bytes: sizeOf(to) };
  } catch (error) {
    if (lock) removeCopy(part);
    throw copyError(error, to);
  } finally {
    lock?.release(true);
    source.close();
  }
}

/**
 * Acquires the lock for a backup's name, so that one process at a time makes it.
 * @throws StoreRefused
 */
export function lockBackup(place: string, name: string): Lock {
  try {
    refuseOpenHere(place, place);
    return lockStore(place);
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error;
    throw new StoreRefused(
      `Another backup to ${name} is being made.`,
      "Wait until it is finished, or name another file.",
      error,
    );
  }
}

/**
 * Checks that no file has the backup's name.
 * @throws StoreRefused
 */
function refuseTaken(to: string): void {
  const found = statSync(to, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new StoreRefused(`${to} is a folder.`, "Name a file in it.");
  if (found)
    throw new StoreRefused(`${to} already exists and was not changed.`, "Name a file that does not exist.");
  if (!existsSync(dirname(to)))
    throw new StoreRefused(`The folder of ${to} doesn't exist.`, `Create it: mkdir -p ${dirname(to)}`);
}

/**
 * Opens a separate connection to a store, which another process may be serving.
 * @throws StoreRefused
 */
export function openSource(path: string, acceptsMissingLog = false): Connection {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new StoreRefused(`There is no store at ${path}.`, "Name the store with --store.");
  const place = realPath(path);
  checkFileSet(path, place, acceptsMissingLog);
  if (!hasMagic(place)) throw notAStore(path);
  // Readers leave an empty log.
  const hasLog = sizeOf(`${place}-wal`) > 0;
  let connection: Connection | undefined;
  try {
    connection = openReadOnly(place);
    checkFormat(connection, path);
    if (!hasLog && !acceptsMissingLog && !isComplete(connection)) throw missingLog(path);
    return connection;
  } catch (error) {
    connection?.close();
    throw storeErrorOf(error, path, place);
  }
}

/** The name of the document that a store belongs to; null if it can't be read. */
export function readDocumentName(path: string): string | null {
  try {
    const source = openSource(path, true);
    try {
      return documentIn(source);
    } finally {
      source.close();
    }
  } catch {
    return null;
  }
}

function documentIn(connection: Connection): string | null {
  return metaOf(connection, "document") ?? null;
}

function metaOf(connection: Connection, name: string): string | undefined {
  const named = connection.prepare("SELECT value FROM ninefold_meta WHERE name = ?");
  return named.get<readonly [value: string]>([name])?.[0];
}

/**
 * The text of the document with which a store was last opened. The store may be served.
 * @throws StoreRefused
 */
export function readDocumentText(path: string): string {
  const source = openSource(path, true);
  try {
    return documentText(metaOf(source, textMeta), path);
  } finally {
    source.close();
  }
}

/** Completes a copy: one file without a log, marked as complete, and on the disk. */
export function finishCopy(file: string): void {
  const copy = openCopy(file);
  try {
    markComplete(copy);
  } finally {
    copy.close();
  }
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The number of rows of each table, including the engine's own. */
type Counts = ReadonlyMap<string, number>;

function countsOf(connection: Connection): Counts {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all<readonly [name: string]>([]);
  return new Map(
    tables.map(([name]) => {
      const counting = connection.prepare(`SELECT count(*) FROM ${quoted(name)}`);
      return [name, counting.get<readonly [number]>([])?.[0] ?? 0];
    }),
  );
}

/**
 * Checks a copy, and describes its content.
 * @param name the name of the copy in messages
 * @param expected the row counts of its source; without them nothing is compared
 * @throws StoreRefused
 */
export function checkCopy(file: string, name: string, isThorough: boolean, expected?: Counts): StoreContent {
  if (!hasMagic(file)) throw notABackup(name);
  const copy = openReadOnly(file);
  try {
    checkFormat(copy, name);
    const check = isThorough ? "integrity_check(1)" : "quick_check(1)";
    const found = String(copy.prepare(`PRAGMA ${check}`).get([])?.[0]);
    if (found !== "ok") throw damaged(name, found.replace(/^\*\*\* in database main \*\*\*\s*/, ""));
    const astray = copy.prepare("PRAGMA foreign_key_check").get([]);
    if (astray)
      throw damaged(name, `${String(astray[0])} refers to a ${String(astray[2])} that doesn't exist`);
    const counts = countsOf(copy);
    for (const [table, count] of expected ?? [])
      if (table !== "ninefold_meta" && counts.get(table) !== count)
        throw damaged(name, `${table} has ${counts.get(table) ?? "no"} rows instead of ${count}`);
    return contentOf(copy, counts);
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw damaged(name, messageOf(error));
  } finally {
    copy.close();
  }
}

const isOwnTable = /^(?:ninefold_|sqlite_|_litestream_)/i;

function contentOf(connection: Connection, counts: Counts): StoreContent {
  const last = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'ninefold_events'");
  return {
    document: documentIn(connection),
    lastEvent: last.get<readonly [sequence: number]>([])?.[0] ?? 0,
    records: [...counts].reduce((sum, [table, count]) => (isOwnTable.test(table) ? sum : sum + count), 0),
  };
}

/** The refusal of a file that isn't a backup. */
export function notABackup(name: string): StoreRefused {
  return new StoreRefused(
    `${name} is not a backup of a Ninefold store.`,
    "Name a backup that `ninefold backup` made.",
  );
}

function damaged(name: string, what: string): StoreRefused {
  return new StoreRefused(`${name} is damaged: ${what}.`, "Use another backup.");
}

/** Words an error of a copy for the operator. */
export function copyError(error: unknown, name: string): unknown {
  if (isFull(error) || isDiskFull(error))
    return new StoreRefused(
      `The disk that ${name} is on is full: nothing was written.`,
      "Free space on it, or name a file on another disk.",
      error,
    );
  // Errors that are from neither the system nor the database, or have a full message already, stay
  // unchanged.
  if (!(error instanceof Error) || codeOf(error) === undefined) return error;
  return new StoreRefused(`${name} can't be written (${error.message}).`, "Nothing was changed.", error);
}
