/**
 * Processor time of this process and of those that it has started, from Linux's accounting;
 * elsewhere of this process only.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** Linux counts in hundredths of a second on every machine. */
const msOfTick = 10;

/**
 * Processor time of this process and its descendants, including those that have exited, in
 * milliseconds.
 */
export function usedMs(): number {
  const { user, system } = process.cpuUsage();
  const ended = ticksOf(process.pid).slice(2);
  const living = descendantsOf(process.pid).flatMap(ticksOf);
  return (user + system) / 1000 + [...ended, ...living].reduce((sum, ticks) => sum + ticks, 0) * msOfTick;
}

/**
 * Processor time that threads of running processes have used, and that they have waited for while
 * others ran. The calling thread is left out: on a busy machine, it waits whenever it looks.
 */
export function wantedMs(): number {
  const own = ownThread();
  const all = [process.pid, ...descendantsOf(process.pid)].flatMap((pid) =>
    namesIn(`/proc/${pid}/task`).map((thread) => {
      if (thread === own) return 0;
      const figures = readIfThere(`/proc/${pid}/task/${thread}/schedstat`);
      const [ranNs = 0, waitedNs = 0] = figures.split(" ").map(Number);
      return (ranNs + waitedNs) / 1e6;
    }),
  );
  return all.reduce((sum, ms) => sum + ms, 0) || usedMs();
}

/** The identifier of the calling thread, as Linux lists it. */
function ownThread(): string | undefined {
  try {
    return basename(readlinkSync("/proc/thread-self"));
  } catch {
    return undefined;
  }
}

/** User and system time of a process, and then of its exited children. */
function ticksOf(pid: number): readonly number[] {
  // The name in parentheses may contain any character.
  const fields = readIfThere(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return fields.slice(11, 15).map(Number);
}

function descendantsOf(pid: number): readonly number[] {
  const threads = namesIn(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readIfThere(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A process may exit at any moment. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
