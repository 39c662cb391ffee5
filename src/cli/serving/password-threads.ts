/**
 * Password threads: the number of passwords that this machine hashes at once. Hashing uses the
 * threads with which Node also reads files and resolves host names. `bin/ninefold` sets one thread
 * for each core and two more, and at least one stays free for that other work.
 */
import { SharedPasswordQueue, passwordsAtOnce } from "../../engine/secrets/password-queue.ts";
import { type PasswordQueue, systemClock } from "../../engine/ports.ts";
import type { Terminal } from "../terminal.ts";

/** Node's default number of threads. */
const standardThreads = 4;

/** The queue in which all services of the process wait for password threads. */
export function passwordQueue({ environment }: Pick<Terminal, "environment">): PasswordQueue {
  const threads = Number(environment["UV_THREADPOOL_SIZE"]) || standardThreads;
  return new SharedPasswordQueue(systemClock, passwordsAtOnce(threads));
}
