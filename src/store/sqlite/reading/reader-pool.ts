/**
 * Reader pool: a small pool of threads for all stores of the process.
 *
 * Threads start on demand, and end with the last store that uses them. No statement occupies all of
 * them, so that a repeated slow query doesn't block others.
 */
import { availableParallelism } from "node:os";
import { StatementTimedOut, StoreUnavailable } from "../../errors.ts";
import type { Row } from "../connection/connection.ts";
import { readLimits } from "./limits.ts";
import { type Read, ReaderThread, type ReadSource } from "./thread.ts";
import { machine } from "../../../support/machine.ts";

interface Waiting {
  readonly read: Read;
  readonly sinceMs: number;
  resolve(rows: readonly Row[] | Promise<readonly Row[]>): void;
  reject(error: Error): void;
}

const threadsMax = Math.max(2, Math.min(readLimits.threadsMax, availableParallelism() - 1));

class ReaderPool {
  readonly #threads = new Set<ReaderThread>();
  readonly #sources = new Set<ReadSource>();
  #waiting: Waiting[] = [];

  read(read: Read): Promise<readonly Row[]> {
    if (this.#waiting.length >= readLimits.waitingMax)
      return Promise.reject(new StoreUnavailable("Too many slow reads are waiting.", { retryable: true }));
    this.#sources.add(read.source);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ read, sinceMs: machine.elapsed(), resolve, reject });
      this.#next();
    });
  }

  /**
   * Closes a store in all threads, and waits for that. Running statements end at their time limit.
   */
  async forget(source: ReadSource): Promise<void> {
    if (!this.#sources.delete(source)) return;
    const closed = new StoreUnavailable("The store is closed.", { retryable: false });
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ read }) => read.source !== source);
    for (const { read, reject } of waiting) if (read.source === source) reject(closed);
    await Promise.all([...this.#threads].map((thread) => thread.forget(source)));
    if (this.#sources.size === 0) await this.end();
  }

  /** Ends all threads. Their waiting callers receive an error; the next read starts new threads. */
  async end(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #next(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ read }) => this.#mayBegin(read));
      if (at === -1) return;
      const thread = [...this.#threads].find(({ reads }) => reads === undefined) ?? this.#newThread();
      if (!thread) return;
      this.#begin(thread, ...(this.#waiting.splice(at, 1) as [Waiting]));
    }
  }

  /** Whether a read may start. One thread stays free for other statements. */
  #mayBegin({ query, source }: Read): boolean {
    const same = [...this.#threads].filter(({ reads }) => reads?.query === query);
    return same.length < threadsMax - 1 && !this.#waitsForLog(source);
  }

  /**
   * Whether the read must wait, because the store's log is long and other reads of the store are
   * running.
   */
  #waitsForLog(source: ReadSource): boolean {
    if (!source.log?.isLong()) return false;
    if ([...this.#threads].some(({ reads }) => reads?.source === source)) return true;
    source.log.fold();
    return false;
  }

  #newThread(): ReaderThread | undefined {
    if (this.#threads.size >= threadsMax) return undefined;
    const thread = new ReaderThread(() => {
      this.#threads.delete(thread);
      this.#next();
    });
    this.#threads.add(thread);
    return thread;
  }

  #begin(thread: ReaderThread, { read, sinceMs, resolve, reject }: Waiting): void {
    if (machine.elapsed() - sinceMs > read.timeMs) {
      reject(new StatementTimedOut(read.timeMs));
      return;
    }
    const running = thread.run(read);
    resolve(running);
    const next = () => this.#next();
    running.then(next, next);
  }
}

export const readerPool = new ReaderPool();
