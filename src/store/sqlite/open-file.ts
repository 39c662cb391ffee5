/**
 * Opens a store's file, or makes it: the lock, the connection, and what must be true of the file before anything is read from it.
 * Every refusal is one clear sentence and a hint.
 */
import { closeSync, existsSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { StoreRefused } from "../errors.ts";
import { type Connection, openConnection } from "./connection.ts";
import { systemTables, systemUpgrades } from "./ddl.ts";
import { isCantOpen, isCorrupt, isFull, isNotADatabase, isReadonly } from "./failures.ts";
import { type Lock, lockStore } from "./lock.ts";
import { replaceContent, type SqliteSnapshot } from "./snapshot.ts";

/** `9fld`, in the file's header: this database is a Ninefold store. */
const applicationId = 0x39666c64;
/** Which system tables there are; raised when they change. */
const formatVersion = 2;
/** Files up to this size are read through after an unclean stop, in bytes: about two seconds. */
const checkedBytesMax = 1024 * 1024 * 1024;

/** File systems that can't be trusted with locks and syncs, by the number that the kernel gives them. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

export interface OpenFile {
  readonly connection: Connection;
  /** A second connection to the same data; undefined where there can be none (`:memory:`). */
  readonly openReader: (() => Connection) | undefined;
  /** Checkpoints, closes and gives the lock back. */
  close(): void;
}

export const inMemory = ":memory:";

/** What a store begins with: what is there, nothing, or a snapshot; the last two take the place of what is there. */
export type Beginning = "as it is" | "empty" | SqliteSnapshot;

/** @throws StoreRefused */
export function openFile(
  path: string,
  onWarning: (message: string) => void,
  begins: Beginning = "as it is",
): OpenFile {
  if (path === inMemory) return openMemory(begins);
  const place = resolve(path);
  checkPlace(path, place);
  const wasUnclean = sizeOf(`${place}-wal`) > 0;
  const lock = locked(path, place);
  let connection: Connection | undefined;
  try {
    if (begins !== "as it is") replaceContent(place, begins === "empty" ? new Uint8Array(0) : begins.content);
    connection = openConnection(place);
    const open = connection;
    prepareFile(open, path);
    if (wasUnclean) checkAfterUncleanStop(open, path, sizeOf(place), onWarning);
    return {
      connection: open,
      openReader: () => openConnection(place, { readOnly: true }),
      close() {
        // A read of this very turn may still hold its snapshot, and no checkpoint goes past one.
        open.endSnapshot();
        foldLog(open, path, onWarning);
        open.close();
        lock.release();
      },
    };
  } catch (error) {
    connection?.close();
    lock.release();
    throw inWords(error, path);
  }
}

/** What is in the log beside the file comes into the file. Where the disk is full it waits there, and nothing of it is lost. */
function foldLog(connection: Connection, path: string, onWarning: (message: string) => void): void {
  try {
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    onWarning(
      `${path} was closed with changes still in ${basename(path)}-wal (${words}): keep both files together, the next start reads both.`,
    );
  }
}

function openMemory(begins: Beginning): OpenFile {
  const connection = openConnection(inMemory, typeof begins === "object" ? { content: begins.content } : {});
  prepareFile(connection, inMemory);
  return { connection, openReader: undefined, close: () => connection.close() };
}

function checkPlace(path: string, place: string): void {
  const folder = dirname(place);
  if (!existsSync(folder))
    throw new StoreRefused(
      `The folder of ${path} doesn't exist.`,
      `Make it first: mkdir -p ${dirname(path)}`,
    );
  const fileSystem = networkFileSystems.get(statfsSync(folder).type);
  if (fileSystem) {
    throw new StoreRefused(
      `${path} is on a network file system (${fileSystem}), where SQLite's locks can't be relied on.`,
      "Put the store on a local disk.",
    );
  }
  if (existsSync(place) && !statSync(place).isFile()) {
    throw new StoreRefused(`${path} is not a file.`, "Name a file; it is made if it isn't there.");
  }
  if (sizeOf(place) > 0 && !hasMagic(place)) throw notAStore(path);
}

/** A database's first bytes, looked at before SQLite is let near a file that may be anything. */
function hasMagic(place: string): boolean {
  const descriptor = openSync(place, "r");
  try {
    const start = Buffer.alloc(16);
    readSync(descriptor, start, 0, 16, 0);
    return start.toString("latin1") === "SQLite format 3\0";
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the files, where they aren't there, readable to their owner alone: keys and hashes of secrets stand in them. */
export function makePrivately(...places: readonly string[]): void {
  for (const place of places) closeSync(openSync(place, "a", 0o600));
}

function locked(path: string, place: string): Lock {
  try {
    makePrivately(`${place}.lock`, place);
    return lockStore(place);
  } catch (error) {
    throw inWords(error, path);
  }
}

function prepareFile(connection: Connection, path: string): void {
  const id = pragma(connection, "application_id");
  const objects = connection.prepare("SELECT count(*) FROM sqlite_schema").get([])?.[0];
  if (id === 0 && objects === 0) {
    connection.exec("BEGIN IMMEDIATE");
    for (const statement of systemTables) connection.exec(statement);
    connection.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; COMMIT`,
    );
    return;
  }
  if (id !== applicationId) throw notAStore(path);
  const version = upgraded(connection, Number(pragma(connection, "user_version")));
  if (version !== formatVersion) {
    throw new StoreRefused(
      `${path} was made by a Ninefold that keeps its data in another way (format ${version}; this one knows ${formatVersion}).`,
      "Use that version of Ninefold, or export the data with it.",
    );
  }
}

/** Brings the engine's own tables to the format of now, where they are of one that is known. Answers the format they have then. */
function upgraded(connection: Connection, version: number): number {
  const statements = systemUpgrades[version];
  if (!statements) return version;
  connection.exec("BEGIN IMMEDIATE");
  for (const statement of statements) connection.exec(statement);
  connection.exec(`PRAGMA user_version = ${version + 1}; COMMIT`);
  return upgraded(connection, version + 1);
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
      "Restore the last backup; keep the damaged file to look into it.",
    );
  }
}

function sizeOf(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.size ?? 0;
}

function notAStore(path: string): StoreRefused {
  return new StoreRefused(
    `${path} is not a Ninefold store.`,
    "Name another file; it is made if it isn't there.",
  );
}

/** What SQLite says about a file as a sentence about that file. */
export function inWords(error: unknown, path: string): unknown {
  if (error instanceof StoreRefused) {
    // The lock and the connection know the resolved place; people know what they wrote.
    return new StoreRefused(error.message.replace(resolve(path), path), error.hint, error);
  }
  if (isNotADatabase(error)) return notAStore(path);
  if (isCorrupt(error))
    return new StoreRefused(
      `${path} is damaged.`,
      "Restore the last backup; keep the damaged file to look into it.",
      error,
    );
  if (isFull(error) || isWithoutRoom(error))
    return new StoreRefused(
      `The disk that ${path} is on is full.`,
      "Make room on it and start again.",
      error,
    );
  if (isReadonly(error) || isCantOpen(error) || isRefusedBySystem(error)) {
    return new StoreRefused(
      `${path} can't be written.`,
      `SQLite writes ${basename(path)} and files beside it: check the rights of both the file and its folder.`,
      error,
    );
  }
  return error;
}

function isRefusedBySystem(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && ["EACCES", "EPERM", "EROFS", "ENOENT", "EISDIR"].includes(code);
}

function isWithoutRoom(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}
