/**
 * A thread beside the tests, for a mutant may keep them from ever letting go: it ends the process where they use more of the processor than
 * they may, or nothing of it for long, as they wait for what a mutant has taken away. How busy the machine is doesn't matter.
 */
import { parentPort } from "node:worker_threads";

/** Milliseconds of the processor that may be used from now on; nothing: no test runs. */
export type Watched = number | undefined;

const everyMs = 250;
/** Where nothing is done for so long, nothing more will come. */
const stillMs = 2_500;
/** Of the processor: what waiting itself takes, the thread's own turns among it. */
const msOfWaiting = 150;

let most: Watched;
let begun = usedMs();
let since = performance.now();
let usedThen = begun;

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** With all that it has begun. */
function end(): void {
  process.kill(-process.pid, "SIGKILL");
}

parentPort?.on("message", (watched: Watched) => {
  most = watched;
  begun = usedThen = usedMs();
  since = performance.now();
});

setInterval(() => {
  if (most === undefined) return;
  const used = usedMs();
  if (used - begun > most) end();
  if (used - usedThen > msOfWaiting) {
    usedThen = used;
    since = performance.now();
  } else if (performance.now() - since > stillMs) end();
}, everyMs);
