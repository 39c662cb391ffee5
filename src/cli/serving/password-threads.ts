/**
 * How many passwords this machine hashes at once. They are hashed on the threads on which `node`
 * also reads files and resolves host names. `bin/ninefold` sets one for each core and two more, and
 * at least one is left for those.
 */
import { createPasswordQueue, passwordsAtOnce } from "../../engine/secrets/password-queue.ts";
import { type PasswordQueue, systemClock } from "../../engine/ports.ts";
import type { Terminal } from "../terminal.ts";

/** The default of `node`. */
const standardThreads = 4;

/** The line in which all services of the process wait for the machine's cores. */
export function passwordQueue({ environment }: Pick<Terminal, "environment">): PasswordQueue {
  const threads = Number(environment["UV_THREADPOOL_SIZE"]) || standardThreads;
  return createPasswordQueue(systemClock, passwordsAtOnce(threads));
}
