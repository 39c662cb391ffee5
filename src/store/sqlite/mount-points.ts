/** Which files are mounted by themselves, over a name in another folder (`docker run -v /srv/x.db:/x.db`): Linux says it in a list. */
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const list = "/proc/self/mountinfo";

/** Is a file system mounted at this exact name? False where the system doesn't provide that. */
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
  // The fifth word; spaces, tabs, line ends and backslashes in it are octal escapes.
  return text.split("\n").map((line) => (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, octal));
}

function octal(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8));
}
