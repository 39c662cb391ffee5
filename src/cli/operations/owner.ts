/**
 * Owner-only files, folders and processes. On a system without such modes, everything counts as
 * owned.
 */
import type { Stats } from "node:fs";
import { codeOf } from "../../support/failure.ts";

const othersMask = 0o077;

/** Whether only the owner of this process can read it or write to it. */
export function isOwn({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & othersMask) === 0);
}

/** Whether there is such a process, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
