/**
 * Restore: replaces a store with a backup.
 *
 * The backup is first checked and compared with the document, next to the store. The old store is
 * kept next to it, with its log. At each moment, the store's name leads to the old content or to
 * the new, or opening it is rejected.
 */
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Model } from "../../../model/model.ts";
import { StoreRefused } from "../../errors.ts";
import { checkCopy, finishCopy, copyError, notABackup, openSource, type StoreContent } from "./backup.ts";
import { removeCopy } from "../file/remove-copy.ts";
import { openReadOnly } from "../connection/connection.ts";
import { hasMagic, storeErrorOf, createPrivateFiles } from "../file/open-file.ts";
import { type Lock, lockStore, refuseOpenHere } from "../file/lock.ts";
import { packedEnding, unpack } from "./packed-backup.ts";
import { realPath, sizeOf } from "../file/file-location.ts";
import { syncFolder } from "../file/snapshot.ts";
import { verify } from "./checksum.ts";
import { checkFit } from "../bring-up-to-date.ts";
import { machine } from "../../../support/machine.ts";

export interface Restored extends StoreContent {
  /** The path of the previous content; null if there was none. */
  readonly former: string | null;
  /** Whether it was compared with its checksum file; false if it has none. */
  readonly isVerified: boolean;
}

export interface RestoreOptions {
  readonly checksIndexes?: boolean;
  /** Whether a file that was copied without its log is accepted as it is. */
  readonly acceptsMissingLog?: boolean;
}

/**
 * Replaces the store with the backup.
 * @throws StoreRefused | StoreMismatch; the store is unchanged then
 */
export async function restoreFile(
  model: Model,
  backup: string,
  path: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  refuseOdd(backup, path);
  const place = realPath(path);
  refuseOpenHere(path, place);
  const lock = locked(path, place);
  const sibling = `${place}.restoring`;
  try {
    removeCopy(sibling);
    const isVerified = await bring(backup, sibling, options.acceptsMissingLog === true);
    const content = checkCopy(sibling, backup, options.checksIndexes === true);
    await fits(sibling, model, backup);
    finishCopy(sibling);
    const former = exchange(sibling, place);
    return { ...content, isVerified, former: former && path + former.slice(place.length) };
  } catch (error) {
    removeCopy(sibling);
    throw copyError(error, path);
  } finally {
    lock.release(!existsSync(place));
  }
}

/**
 * Checks that the backup exists, and isn't the store itself.
 * @throws StoreRefused
 */
function refuseOdd(backup: string, path: string): void {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile())
    throw new StoreRefused(`There is no backup ${backup}.`, "Name a backup that `ninefold backup` made.");
  if (existsSync(path) && realPath(path) === realPath(backup))
    throw new StoreRefused(`${backup} is the store itself.`, "Name a backup of it.");
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StoreRefused(`${path} is not a file.`, "Name the store's file.");
}

function locked(path: string, place: string): Lock {
  try {
    createPrivateFiles(`${place}.lock`);
    return lockStore(place);
  } catch (error) {
    throw storeErrorOf(error, path, place);
  }
}

/**
 * Copies the backup's content to one file that only its owner can read. Returns whether it was
 * compared with a checksum. An unpacked backup is read like a store, with the log next to it, if
 * any.
 */
async function bring(backup: string, sibling: string, acceptsMissingLog: boolean): Promise<boolean> {
  if (backup.endsWith(packedEnding)) return unpack(backup, sibling);
  if (!hasMagic(backup)) throw notABackup(backup);
  const isVerified = await verify(backup);
  const source = openSource(backup, acceptsMissingLog);
  try {
    createPrivateFiles(sibling);
    await source.copyTo(sibling);
    return isVerified;
  } catch (error) {
    throw copyError(error, sibling);
  } finally {
    source.close();
  }
}

/**
 * Checks that the document can be served with the backup's content.
 * @throws StoreRefused | StoreMismatch
 */
async function fits(file: string, model: Model, name: string): Promise<void> {
  const connection = openReadOnly(file);
  try {
    await checkFit(connection, model, { path: name, losesData: false });
  } finally {
    connection.close();
  }
}

/**
 * Replaces the file, and returns the path of the old one; null if there was none.
 *
 * The old file gets a second name before the new one takes the first, and its log is renamed with
 * it. After an interruption in between, the store has two names or lacks its log, and is rejected.
 */
function exchange(sibling: string, place: string): string | null {
  const isThere = sizeOf(place) > 0;
  const former = `${place}.before-${new Date(machine.now()).toISOString().replaceAll(/[:.]/g, "-")}`;
  if (isThere) {
    linkOrCopy(place, former);
    if (sizeOf(`${place}-wal`) > 0) renameSync(`${place}-wal`, `${former}-wal`);
  }
  for (const old of [`${place}-shm`, `${place}-wal`]) rmSync(old, { force: true });
  renameSync(sibling, place);
  syncFolder(dirname(place));
  return isThere ? former : null;
}

function linkOrCopy(place: string, former: string): void {
  try {
    linkSync(place, former);
  } catch {
    // The file system has no hard links.
    copyFileSync(place, former);
  }
}
