/**
 * Watchdog thread of the tests, because a mutant may keep them from ever yielding. It ends the
 * process when the tests use more processor time than permitted. It also ends it when they use none
 * for long, because they wait for what a mutant has removed. The load of the machine doesn't
 * matter, and processes that tests have started count as well.
 */
import { parentPort } from "node:worker_threads";
import { usedMs, wantedMs } from "./processor-time.ts";

/** The limit of processor time from now on, in milliseconds; undefined if no test runs. */
export type Watched = number | undefined;

const everyMs = 250;
/** After this time without any work, nothing more will happen. */
const stillMs = 5_000;
/** Processor time of waiting itself. */
const msOfWaiting = 150;

let most: Watched;
let startedAtMs = usedMs();
let since = performance.now();
let wantedThen = wantedMs();

/** Also ends all processes that it has started. */
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
  // The sum decreases when a thread or process exits.
  if (Math.abs(wanted - wantedThen) > msOfWaiting) {
    wantedThen = wanted;
    since = performance.now();
  } else if (performance.now() - since > stillMs) end();
}, everyMs);
