/**
 * Mount points: detects files that are mounted individually under another name (`docker run -v
 * /srv/x.db:/x.db`). Linux lists them.
 */
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const list = "/proc/self/mountinfo";

/** Whether something is mounted at exactly this path. False if the system has no such list. */
export function isMountPoint(place: string): boolean {
  const real = join(realpathSync(dirname(place)), basename(place));
  return mountPoints().includes(real);
}

function mountPoints(): readonly string[] {
  let text: string;
  try {
    text = readFileSync(list, "utf8");
  } catch {
    return [];
  }
  // The fifth field is the path, with octal escapes for spaces, tabs, line ends and backslashes.
  return text.split("\n").map((line) => (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, octal));
}

function octal(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8));
}
