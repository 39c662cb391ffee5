/** V8 heap settings for a serving process. */
import { setFlagsFromString } from "node:v8";

/**
 * V8 allocates objects of a call site in the old generation if earlier objects of that site have
 * lived long. The objects of writes do, because a group of them waits for one commit. Then every
 * write's dead objects retain the next one's until a full collection. Collections of the young
 * generation took 10 to 20 ms instead of one, and a write a fifth more time. Without this heuristic
 * they don't. The flag must be set before the code that creates them has run for long.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
