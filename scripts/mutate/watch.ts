/**
 * Watchdog thread of the tests, because a mutant may keep them from ever yielding: it ends the
 * process when the tests use more processor time than they may, or none of it for long, since they
 * wait for what a mutant has removed. How busy the machine is doesn't matter, and processes
 * that tests have started count as well.
 */
import { parentPort } from "node:worker_threads";
import { usedMs, wantedMs } from "./used.ts";

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
  // Less where a thread or process no longer exists.
  if (Math.abs(wanted - wantedThen) > msOfWaiting) {
    wantedThen = wanted;
    since = performance.now();
  } else if (performance.now() - since > stillMs) end();
}, everyMs);
