/**
 * Watchdog thread of the tests, because a mutant may keep them from ever yielding: it ends the
 * process when the tests use more processor time than they may, or none of it for long, since they
 * wait for what a mutant has removed. How busy the machine is doesn't matter.
 */
import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/** Milliseconds of the processor that may be used from now on; nothing: no test runs. */
export type Watched = number | undefined;

const everyMs = 250;
/** Where nothing is done for so long, nothing more will come. */
const stillMs = 5_000;
/** What waiting itself takes. */
const msOfWaiting = 150;

let most: Watched;
let startedAtMs = usedMs();
let since = performance.now();
let wantedThen = wantedMs();

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What the thread of the tests has used of the processor, and waited for it where others had it (Linux says that). */
function wantedMs(): number {
  try {
    const [ranNs = 0, waitedNs = 0] = readFileSync("/proc/self/schedstat", "utf8").split(" ").map(Number);
    return (ranNs + waitedNs) / 1e6;
  } catch {
    return usedMs();
  }
}

/** Ends all processes that it has started, too. */
function end(): void {
  process.kill(-process.pid, "SIGKILL");
}

parentPort?.on("message", (watched: Watched) => {
  most = watched;
  startedAtMs = usedMs();
  wantedThen = wantedMs();
  since = performance.now();
});

setInterval(() => {
  if (most === undefined) return;
  if (usedMs() - startedAtMs > most) end();
  const wanted = wantedMs();
  if (wanted - wantedThen > msOfWaiting) {
    wantedThen = wanted;
    since = performance.now();
  } else if (performance.now() - since > stillMs) end();
}, everyMs);
