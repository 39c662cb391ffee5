/**
 * Opens or creates a store's file: the lock, the connection, and the checks of the file before
 * anything is read from it.
 *
 * Every refusal is one clear sentence and a hint.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { basename, resolve } from "node:path";
import { StoreRefused, type StoreUnavailable } from "../../errors.ts";
import { type Connection, openConnection, openReadOnly } from "../connection/connection.ts";
import { systemTables, systemUpgrades } from "../statements/ddl.ts";
import { isCantOpen, isCorrupt, isFull, isNotADatabase, isReadonly } from "../connection/failures.ts";
import { removeLeftBehind } from "./leftover-files.ts";
import { type Lock, lockStore, type OwnerAddress, refuseOpenHere } from "./lock.ts";
import { isLogWhole } from "./log-check.ts";
import { Mapping } from "./mapping.ts";
import { checkFileSet, checkLocation, watchFileName, realPath, sizeOf } from "./file-location.ts";
import { isComplete, markOpen, markComplete, missingLog } from "./completeness.ts";
import { replaceContent, type SqliteSnapshot } from "./snapshot.ts";
import { codeOf, messageOf } from "../../../support/failure.ts";

/** `9fld`, the application ID in the header of a store's file. */
const applicationId = 0x39666c64;
/** The version of the system tables. Increase it when they change. */
const formatVersion = 4;
/**
 * Files up to this size are checked completely after an unclean stop, in bytes. That takes about
 * two seconds.
 */
const checkedBytesMax = 1024 * 1024 * 1024;

export interface OpenFile {
  readonly connection: Connection;
  /** The path of the file; undefined for `:memory:`. */
  readonly place: string | undefined;
  /** Opens a second connection to the same data; undefined for `:memory:`. */
  readonly openReader: (() => Connection) | undefined;
  /** Why nothing can be stored at present, such as that the file was moved or deleted. */
  readonly obstacle: () => StoreUnavailable | undefined;
  /** Called periodically, to memory-map a file that has grown large. */
  mapGrowth(): void;
  /** Copies the log into the file, closes it, and releases the lock. */
  close(): void;
}

export const inMemory = ":memory:";

/**
 * The initial content of a store: the existing content, none, or a snapshot. The last two replace
 * the existing content.
 */
export type InitialContent = "as it is" | "empty" | SqliteSnapshot;

export interface FileOptions {
  readonly onWarning?: (message: string) => void;
  readonly initialContent?: InitialContent;
  readonly mappedBytes?: number | undefined;
  /** Whether a file with a missing log is opened as it is. */
  readonly acceptsMissingLog?: boolean | undefined;
  /** The address for other programs of this user that find the store in use. */
  readonly ownerAddress?: OwnerAddress | undefined;
}

/**
 * Opens a store's file.
 * @throws StoreRefused
 */
export function openFile(path: string, options: FileOptions = {}): OpenFile {
  const {
    onWarning = () => {},
    initialContent = "as it is",
    mappedBytes,
    acceptsMissingLog = false,
  } = options;
  if (path === inMemory) return openMemory(initialContent);
  const place = realPath(path);
  checkLocation(path, place);
  refuseOpenHere(path, place);
  if (sizeOf(place) > 0 && !hasMagic(place) && !wasBeingMade(place)) throw notAStore(path);
  const log = `${place}-wal`;
  const wasUnclean = sizeOf(log) > 0;
  const mayLackLog = initialContent === "as it is" && !acceptsMissingLog && sizeOf(log) === 0;
  if (initialContent === "as it is") checkFileSet(path, place, acceptsMissingLog);
  const lock = locked(path, place, options.ownerAddress);
  let connection: Connection | undefined;
  let hasStarted = false;
  try {
    if (initialContent !== "as it is")
      replaceContent(place, initialContent === "empty" ? new Uint8Array(0) : initialContent.content);
    else if (wasUnclean && sizeOf(log) <= checkedBytesMax && !isLogWhole(log)) throw damagedLog(path);
    connection = openConnection(place);
    const open = connection;
    const mapping = new Mapping(place, mappedBytes);
    mapping.follow(open);
    prepareFile(open, path);
    if (mayLackLog && !isComplete(open)) throw missingLog(path);
    removeLeftBehind(open, place);
    if (wasUnclean) checkAfterUncleanStop(open, path, sizeOf(place), onWarning);
    hasStarted = true;
    markOpen(open);
    const obstacle = watchFileName(path, place);
    return {
      connection: open,
      place,
      obstacle,
      openReader() {
        const found = obstacle();
        if (found) throw found;
        const reader = openConnection(place, { readOnly: true });
        reader.map(mapping.bytes);
        return reader;
      },
      mapGrowth: () => mapping.follow(open),
      close() {
        // A read of this tick may still have its snapshot, which prevents a complete checkpoint.
        open.endSnapshot();
        // A file that was moved away must not be marked by this process.
        const isInPlace = obstacle() === undefined;
        foldLog(open, path, onWarning, isInPlace);
        if (isInPlace) closeWithLog(open, place);
        else open.close();
        lock.release();
      },
    };
  } catch (error) {
    if (connection && hasStarted) giveBack(connection, place);
    else connection?.close();
    lock.release();
    throw storeErrorOf(error, path, place);
  }
}

/** Closes a file after a failed start, which had marked it as open. */
function giveBack(connection: Connection, place: string): void {
  try {
    markComplete(connection);
  } catch {
    // The disk failed. The log stays next to the file.
  }
  closeWithLog(connection, place);
}

/**
 * Closes a connection. If the file is still marked as open, its log is kept.
 *
 * SQLite checkpoints and deletes the log with the last connection. A file stays marked as open if
 * the disk didn't accept the change of the mark. Without its log, the next start would consider the
 * log lost. A last connection that is read-only doesn't delete the log.
 */
function closeWithLog(connection: Connection, place: string): void {
  let last: Connection | undefined;
  try {
    if (!isComplete(connection)) {
      last = openReadOnly(place);
      isComplete(last);
    }
  } catch {
    // If the file can't be read, its log can't be kept.
  }
  connection.close();
  last?.close();
}

/** Copies the log into the file. If the disk is full, the log stays, and no change is lost. */
function foldLog(
  connection: Connection,
  path: string,
  onWarning: (message: string) => void,
  isInPlace: boolean,
): void {
  try {
    if (isInPlace) markComplete(connection);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    const words = messageOf(error);
    onWarning(
      `${path} was closed with changes still in ${basename(path)}-wal (${words}): keep both files together, the next start reads both.`,
    );
  }
}

function openMemory(initialContent: InitialContent): OpenFile {
  const connection = openConnection(
    inMemory,
    typeof initialContent === "object" ? { content: initialContent.content } : {},
  );
  prepareFile(connection, inMemory);
  return {
    connection,
    place: undefined,
    obstacle: () => undefined,
    openReader: undefined,
    mapGrowth() {},
    close: () => connection.close(),
  };
}

/**
 * Whether a file starts like a SQLite database. Checked before SQLite opens a file of unknown
 * content.
 */
export function hasMagic(place: string): boolean {
  return startOf(place, 16).toString("latin1") === "SQLite format 3\0";
}

/**
 * Whether the power failed while the first page was written. The journal next to the file then says
 * that it was empty before, and SQLite restores that (sqlite.org/fileformat2.html, "The Rollback
 * Journal").
 */
function wasBeingMade(place: string): boolean {
  const journal = `${place}-journal`;
  if (sizeOf(journal) === 0) return false;
  const start = startOf(journal, 20);
  return start.toString("hex", 0, 8) === "d9d505f920a163d7" && start.readUInt32BE(16) === 0;
}

/** The first bytes of a file, padded with zeros. */
function startOf(place: string, bytes: number): Buffer {
  const descriptor = openSync(place, "r");
  try {
    const start = Buffer.alloc(bytes);
    readSync(descriptor, start, 0, bytes, 0);
    return start;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates the files if they don't exist, readable by their owner only, because they contain keys
 * and hashes of secrets.
 */
export function createPrivateFiles(...places: readonly string[]): void {
  for (const place of places) closeSync(openSync(place, "a", 0o600));
}

function locked(path: string, place: string, reachedAt: OwnerAddress | undefined): Lock {
  try {
    createPrivateFiles(`${place}.lock`, place);
    return lockStore(place, reachedAt);
  } catch (error) {
    throw storeErrorOf(error, path, place);
  }
}

/**
 * Creates the engine's own tables, or migrates them.
 * @throws StoreRefused
 */
export function prepareFile(connection: Connection, path: string): void {
  const own = `SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE '\\_litestream%' ESCAPE '\\'`;
  const objects = connection.prepare(own).get([])?.[0];
  if (pragma(connection, "application_id") === 0 && objects === 0) {
    connection.exec("BEGIN IMMEDIATE");
    for (const statement of systemTables) connection.exec(statement);
    connection.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; COMMIT`,
    );
    return;
  }
  checkFormat(connection, path);
  upgrade(connection, Number(pragma(connection, "user_version")));
}

/**
 * Checks that the file is a store in a known format.
 * @throws StoreRefused
 */
export function checkFormat(connection: Connection, path: string): void {
  if (pragma(connection, "application_id") !== applicationId) throw notAStore(path);
  const version = Number(pragma(connection, "user_version"));
  if (version === formatVersion || systemUpgrades[version]) return;
  throw new StoreRefused(
    `${path} was created by a Ninefold with another storage format (format ${version}; this one supports ${formatVersion}).`,
    "Use that version of Ninefold, or export the data with it.",
  );
}

/** Migrates the engine's own tables to the current format. */
function upgrade(connection: Connection, version: number): void {
  const statements = systemUpgrades[version];
  if (!statements) return;
  connection.exec("BEGIN IMMEDIATE");
  for (const statement of statements) connection.exec(statement);
  connection.exec(`PRAGMA user_version = ${version + 1}; COMMIT`);
  upgrade(connection, version + 1);
}

function pragma(connection: Connection, name: string): unknown {
  return connection.prepare(`PRAGMA ${name}`).get([])?.[0];
}

function checkAfterUncleanStop(
  connection: Connection,
  path: string,
  bytes: number,
  onWarning: (message: string) => void,
): void {
  if (bytes > checkedBytesMax) {
    onWarning(
      `${path} wasn't closed the last time and is too large to be checked at each start; check it when there is time.`,
    );
    return;
  }
  const found = String(connection.prepare("PRAGMA quick_check(1)").get([])?.[0]);
  if (found !== "ok") {
    const words = found.replace(/^\*\*\* in database main \*\*\*\n/, "").replaceAll("\n", "; ");
    throw new StoreRefused(
      `${path} is damaged: ${words}`,
      "Restore the last backup, and keep the damaged file for analysis.",
    );
  }
}

function damagedLog(path: string): StoreRefused {
  return new StoreRefused(
    `${path}-wal is damaged: changes that were stored can't be read from it.`,
    `Restore the last backup, and keep the damaged files for analysis. To go on with what is in ${basename(path)} alone, remove ${basename(path)}-wal and ${basename(path)}-shm, and start with --accept-missing-log.`,
  );
}

/** The refusal of a file that isn't a store. */
export function notAStore(path: string): StoreRefused {
  return new StoreRefused(
    `${path} is not a Ninefold store.`,
    "Name another file; it is created if it doesn't exist.",
  );
}

/** Words an error of SQLite about a file for the operator. */
export function storeErrorOf(error: unknown, path: string, place: string = resolve(path)): unknown {
  if (error instanceof StoreRefused) {
    // The lock and the connection use the resolved path. The message must have the path that was
    // given.
    return new StoreRefused(error.message.replace(place, path), error.hint, error);
  }
  if (isNotADatabase(error)) return notAStore(path);
  if (isCorrupt(error))
    return new StoreRefused(
      `${path} is damaged.`,
      "Restore the last backup, and keep the damaged file for analysis.",
      error,
    );
  if (isFull(error) || isDiskFull(error))
    return new StoreRefused(
      `The disk that ${path} is on is full.`,
      "Free space on it, and start again.",
      error,
    );
  if (isReadonly(error) || isCantOpen(error) || isRefusedBySystem(error)) {
    return new StoreRefused(
      `${path} can't be written.`,
      `SQLite writes ${basename(path)} and files next to it: check the permissions of both the file and its folder.`,
      error,
    );
  }
  return error;
}

function isRefusedBySystem(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && ["EACCES", "EPERM", "EROFS", "ENOENT", "EISDIR"].includes(code);
}

/** Whether an error means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
