/**
 * Backup folder: keeps the last backups of a store. It makes a complete backup first, and then
 * deletes the oldest ones above a number.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { StoreRefused } from "../../errors.ts";
import { type BackupResult, backUpFile, type BackupOptions, copyError, lockBackup } from "./backup.ts";
import type { Lock } from "../file/lock.ts";
import { removeCopy } from "../file/remove-copy.ts";
import { pack, packedEnding, removePacked } from "./packed-backup.ts";
import { syncFolder } from "../file/snapshot.ts";

export interface FolderBackup extends BackupResult {
  readonly file: string;
  /** The names of deleted backups. */
  readonly removed: readonly string[];
}

export interface FolderOptions extends Omit<BackupOptions, "isUnsummed"> {
  readonly at: Date;
  /** The number of backups to keep; all if absent. */
  readonly keep?: number;
}

/** The form of a time in file names, such as 2026-11-23T03-05-00Z. */
const timeForm = String.raw`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ`;

/**
 * Makes a backup in a folder, and deletes the oldest ones.
 * @throws StoreRefused; existing backups stay then
 */
export async function backUpToFolder(
  path: string,
  folder: string,
  options: FolderOptions,
): Promise<FolderBackup> {
  const { at, keep, ...own } = options;
  const name = basename(path).replace(/\.db$/, "");
  const time = `${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
  const plain = join(folder, `${name}-${time}.db`);
  const packed = join(folder, `${name}-${time}${packedEnding}`);
  if (existsSync(packed))
    throw new StoreRefused(`${packed} already exists and was not changed.`, "Wait a second, and try again.");
  let lock: Lock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = lockBackup(join(folder, name), folder);
    removeStarted(folder, name);
    const made = await backUpFile(path, plain, { ...own, isUnsummed: true });
    await pack(plain, packed, {
      document: made.document,
      records: made.records,
      last_event: made.lastEvent,
      at: at.toISOString(),
    });
    removeCopy(plain);
    const removed = keep === undefined ? [] : removeOldest(folder, name, keep);
    syncFolder(folder);
    return { ...made, file: packed, removed };
  } catch (error) {
    if (lock) removeStarted(folder, name);
    throw copyError(error, packed);
  } finally {
    lock?.release(true);
  }
}

const started = new RegExp(
  `^${timeForm}\\.(?:db(?:-journal|-wal|-shm)?|(?:db|db\\.zst|json)\\.part(?:-journal|-wal|-shm|\\.lock)?)$`,
);
const whole = new RegExp(`^${timeForm}\\.db\\.zst$`);

/** Deletes what an interrupted backup has left: partial files, and a copy that was to be packed. */
function removeStarted(folder: string, name: string): void {
  for (const file of filesOf(folder, name, started)) rmSync(join(folder, file), { force: true });
}

function removeOldest(folder: string, name: string, keep: number): readonly string[] {
  const all = filesOf(folder, name, whole).toSorted();
  const removed = all.slice(0, Math.max(0, all.length - keep));
  for (const file of removed) removePacked(join(folder, file));
  return removed;
}

/** The files of this store only: the folder may have backups of others. */
function filesOf(folder: string, name: string, form: RegExp): readonly string[] {
  return readdirSync(folder).filter(
    (file) => file.startsWith(`${name}-`) && form.test(file.slice(name.length + 1)),
  );
}
