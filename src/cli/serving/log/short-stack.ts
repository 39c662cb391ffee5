/**
 * A shortened stack trace: the author's frames by file and line, and the number of Ninefold's and
 * Node's frames.
 */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of Ninefold's code: `src` or `dist`. */
const own = fileURLToPath(new URL("../../../", import.meta.url));

export function shortStack(stack: string, folder: string = process.cwd()): string {
  const lines: string[] = [];
  let folded = 0;
  const fold = () => {
    if (folded > 0) lines.push(`    … ${folded} of Ninefold and Node`);
    folded = 0;
  };
  for (const line of stack.split("\n")) {
    const frame = /^\s+at (?:(.*) \()?(.+?):(\d+):(\d+)\)?$/.exec(line);
    if (!frame) {
      fold();
      lines.push(line);
      continue;
    }
    const [, name, place = "", at] = frame;
    const file = fileOf(place);
    if (file === undefined) {
      folded += 1;
      continue;
    }
    fold();
    const near = relative(folder, file);
    lines.push(`    at ${name === undefined ? "" : `${name} `}${near.startsWith("..") ? file : near}:${at}`);
  }
  fold();
  return lines.join("\n");
}

/** Undefined for frames that aren't the author's. */
function fileOf(place: string): string | undefined {
  if (place.startsWith("node:")) return undefined;
  const file = place.startsWith("file:") ? fileURLToPath(place.split("?", 1)[0] as string) : place;
  return file.startsWith(own) || file.includes(`${sep}node_modules${sep}`) ? undefined : file;
}
