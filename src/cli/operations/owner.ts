/** Files and folders that are for the eyes of their owner alone. Where the system has no such modes, everything is. */
import type { Stats } from "node:fs";

const othersMask = 0o077;

/** Whether nobody but the owner of this process can read it or write to it. */
export function isOwn({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & othersMask) === 0);
}
