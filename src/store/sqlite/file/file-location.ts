/**
 * Location of a store's file: its real path, whether it may be opened there, and whether it still
 * exists.
 *
 * Files next to it (the log, the lock) take the name of the real file, so that two names for one
 * file are one store.
 */
import { existsSync, lstatSync, realpathSync, type Stats, statfsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { StoreRefused, StoreUnavailable } from "../../errors.ts";
import { isMountPoint } from "./mount-points.ts";
import { machine } from "../../../support/machine.ts";

/** File systems with unreliable locks and syncs, by the kernel's number. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/**
 * The real path of a file, with symbolic links resolved.
 * @throws StoreRefused
 */
export function realPath(path: string): string {
  const named = resolve(path);
  const folder = dirname(named);
  if (!existsSync(folder))
    throw new StoreRefused(`The folder of ${path} doesn't exist.`, `Create it: mkdir -p ${dirname(path)}`);
  if (!lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink()) return named;
  if (!existsSync(named))
    throw new StoreRefused(
      `${path} is a link to a missing file.`,
      "Restore that file (is its disk mounted?), or name another one; a new store isn't created through a link.",
    );
  return realpathSync(named);
}

/**
 * Checks a file, or the location for a new one, before it is locked.
 * @throws StoreRefused
 */
export function checkLocation(path: string, place: string): void {
  const fileSystem = networkFileSystems.get(statfsSync(dirname(place)).type);
  if (fileSystem) {
    throw new StoreRefused(
      `${path} is on a network file system (${fileSystem}), where SQLite's locks are not reliable.`,
      "Put the store on a local disk.",
    );
  }
  const found = statSync(place, { throwIfNoEntry: false });
  if (found && !found.isFile())
    throw new StoreRefused(`${path} is not a file.`, "Name a file; it is created if it doesn't exist.");
  if (found && found.nlink > 1)
    throw new StoreRefused(
      `${path} has ${found.nlink} names (hard links): under another name, another process could have it open with another log.`,
      "Remove the other names, or name a copy of it: cp makes one.",
    );
  // As with hard links, the files next to this name aren't next to its other name.
  const mounted = ["", "-wal", "-shm", ".lock"].find((ending) => isMountPoint(place + ending));
  if (mounted !== undefined)
    throw new StoreRefused(
      `${path}${mounted} is mounted as a single file: under its other name, another process could have it open with another log, or could have left one.`,
      `Mount the folder of the store in place of the file, and name ${basename(path)} in it.`,
    );
}

/** A shorter log is empty: the header and one frame with the smallest page, in bytes. */
const logBytesMin = 32 + 24 + 512;

/**
 * Checks for missing files of a set. Otherwise, SQLite would create an empty store, or continue
 * with less data.
 * @throws StoreRefused
 */
export function checkFileSet(path: string, place: string, acceptsMissingLog: boolean): void {
  const name = basename(path);
  if (sizeOf(place) === 0 && sizeOf(`${place}-wal`) >= logBytesMin)
    throw new StoreRefused(
      `${path} is ${existsSync(place) ? "empty" : "missing"}, and ${name}-wal next to it holds changes of it.`,
      `Restore the file next to its log, or restore the last backup; to create an empty store, delete ${name}-wal.`,
    );
  // A store that closes deletes both files, this one first.
  if (!acceptsMissingLog && sizeOf(place) > 0 && existsSync(`${place}-shm`) && !existsSync(`${place}-wal`))
    throw new StoreRefused(
      `${name}-wal is missing: ${name}-shm is still there, so the last stored changes may have been in it.`,
      `Restore it, or restore the last backup; to go on with what is in ${name} alone: --accept-missing-log.`,
    );
}

/** The size of a file in bytes; 0 if it doesn't exist. */
export function sizeOf(place: string): number {
  return statSync(place, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * How long a check of the files stays valid, in milliseconds.
 *
 * On Linux, a check makes the next commit wait for the disk twice: stat marks the change time as
 * read, so the next write must update it too. A check before each commit would save nothing,
 * because a deleted file takes all of its data with it.
 */
export const recheckMs = 100;

/**
 * Watches whether the file's name still leads to the open file. Data written to a file without a
 * name is lost when it is closed.
 * @returns a check to call before each group of writes. After a failure it checks every time, so
 * that writes resume at once.
 */
export function watchFileName(path: string, place: string): () => StoreUnavailable | undefined {
  const watched = [place, `${place}-wal`].map((file, at) => ({
    file,
    name: at === 0 ? path : `${path}-wal`,
    found: statSync(file, { throwIfNoEntry: false }),
  }));
  const look = () => {
    for (const { file, name, found } of watched) {
      if (!found) continue;
      const now = statSync(file, { throwIfNoEntry: false });
      if (now && isSame(now, found)) continue;
      return new StoreUnavailable(
        `${name} was ${now ? "replaced" : "moved or deleted"} while the service has it open. No change is stored until it is restored; the data can still be read, and is lost when the service stops.`,
        { retryable: true },
      );
    }
    return undefined;
  };
  let seen: StoreUnavailable | undefined;
  let seenAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = machine.elapsed();
    if (seen || now - seenAt >= recheckMs) {
      seen = look();
      seenAt = now;
    }
    return seen;
  };
}

function isSame(left: Stats, right: Stats): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}
