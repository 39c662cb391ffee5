/**
 * Owner-only files, folders and processes. On a system without file modes, everything counts as the
 * user's own.
 */
import type { Stats } from "node:fs";
import { codeOf } from "../../support/failure.ts";

const othersMask = 0o077;

/** Whether only the owner of this process can read or write the file. */
export function isOwnersOnly({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & othersMask) === 0);
}

/** Whether a process with this id exists, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
