/** Files, folders and processes, and whose they are: what is for the eyes of its owner alone. Where the system has no such modes, everything is. */
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
