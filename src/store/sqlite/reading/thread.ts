/**
 * Reader thread, as the main thread sees it: the stores it has open, what it runs, and how it ends.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../../../model/model.ts";
import { StatementTimedOut, StoreUnavailable } from "../../errors.ts";
import type { Row } from "../connection/connection.ts";
import type { ThreadQuery } from "../statements/queries.ts";
import type { LogBound } from "./log-bound.ts";
import type { FromThread, ToThread } from "./reader-thread.ts";
import { machine } from "../../../support/machine.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** A store, as reader threads need it. */
export interface ReadSource {
  readonly model: Model;
  readonly path: string;
  /** For a store in memory, which no other thread can open: all committed data, and its version. */
  readonly content?: () => Promise<{ readonly version: number; readonly content: Uint8Array }>;
  /** For a store in a file: the bound of its write-ahead log, which can't restart during reads. */
  readonly log?: LogBound;
  /** A version that changes with each commit. */
  readonly version: () => number;
  /** Why the file at the path may no longer belong to this store. */
  readonly obstacle: () => Error | undefined;
}

/**
 * A statement that another thread can compile. Each has one object, by which threads identify it.
 */
export interface WorkerStatement {
  readonly question: ThreadQuery;
}

export interface Read {
  readonly source: ReadSource;
  readonly query: WorkerStatement;
  readonly values: readonly SqlValue[];
  /** Whether only the first row is needed. */
  readonly first: boolean;
  readonly timeMs: number;
}

/** Memory limit of a thread, in MiB. A larger result ends the thread, and not the process. */
const memoryMiBMax = 256;
/**
 * Grace period after the time limit, in milliseconds. A statement that never checks the time, such
 * as a large sort, then ends with its thread.
 */
const graceMs = 1_000;

/**
 * The maximum number of open stores of a thread. A sandbox has many, and a store in memory exists
 * twice then.
 */
const sourcesMax = 8;

interface Running {
  readonly read: Read;
  resolve(rows: readonly Row[]): void;
  reject(error: Error): void;
}

/** What a thread has received of a store. */
interface Known {
  readonly number: number;
  readonly queries: Set<number>;
  version: number | undefined;
}

/** Maximum number of queries of one store that a thread keeps. The oldest is dropped, and sent again at its next use. */
export const queriesMax = 1_000;

let sourcesSeen = 0;
let queriesSeen = 0;
const queryNumbers = new WeakMap<WorkerStatement, number>();

function numberOf(query: WorkerStatement): number {
  let number = queryNumbers.get(query);
  if (number === undefined) {
    queriesSeen += 1;
    number = queriesSeen;
    queryNumbers.set(query, number);
  }
  return number;
}

/** A worker thread that runs one read at a time. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #known = new Map<ReadSource, Known>();
  readonly #closing = new Map<number, () => void>();
  #read: Running | undefined;
  #takeBack: (() => void) | undefined;
  #ended = false;

  /** @param onEnd called when the thread ends, for any reason */
  constructor(onEnd: () => void) {
    const address = new URL(`./reader-thread${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    // The event `exit` follows, and rejects the waiting calls with a proper error.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => {
      this.#ended = true;
      for (const closed of this.#closing.values()) closed();
      this.#finish((waiting) =>
        waiting.reject(new StoreUnavailable("A reader thread stopped.", { retryable: true })),
      );
      onEnd();
    });
    // Called after the listeners are added, because each of them keeps the process alive.
    this.#worker.unref();
  }

  get reads(): Read | undefined {
    return this.#read?.read;
  }

  /** Runs one read. The next one may start when it is finished. */
  run(read: Read): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#read = { read, resolve, reject };
      // While a caller waits for the result, the process must not exit.
      this.#worker.ref();
      this.#prepare(read).then(
        (known) => {
          const { values, first, timeMs } = read;
          const query = numberOf(read.query);
          this.#notify({ kind: "read", source: known.number, query, values, first, timeMs });
        },
        (error) => this.#finish((waiting) => waiting.reject(error)),
      );
    });
  }

  /** Sends the thread what it needs before it can run the statement. */
  async #prepare({ source, query }: Read): Promise<Known> {
    let known = this.#known.get(source);
    if (!known) {
      const [oldest] = this.#known.keys();
      if (oldest && this.#known.size >= sourcesMax) void this.forget(oldest);
      sourcesSeen += 1;
      known = { number: sourcesSeen, queries: new Set(), version: undefined };
      this.#known.set(source, known);
      this.#notify({ kind: "open", source: known.number, model: source.model, path: source.path });
    }
    if (source.content && known.version !== source.version()) {
      const { version, content } = await source.content();
      known.version = version;
      this.#notify({ kind: "content", source: known.number, content }, [content.buffer as ArrayBuffer]);
    }
    const number = numberOf(query);
    if (!known.queries.has(number)) {
      const [oldest] = known.queries;
      if (oldest !== undefined && known.queries.size >= queriesMax) {
        known.queries.delete(oldest);
        this.#notify({ kind: "drop", source: known.number, query: oldest });
      }
      known.queries.add(number);
      this.#notify({ kind: "execute", source: known.number, query: number, question: query.question });
    }
    return known;
  }

  /** Closes a store in the thread, and waits for that. */
  forget(source: ReadSource): Promise<void> {
    const known = this.#known.get(source);
    this.#known.delete(source);
    if (!known || this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.#closing.set(known.number, resolve);
      this.#worker.ref();
      this.#notify({ kind: "close", source: known.number });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #notify(message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case "started":
        this.#takeBack = machine.after((this.#read?.read.timeMs ?? 0) + graceMs, () => this.#giveUp());
        break;
      case "rows":
        this.#finish((waiting) => waiting.resolve(message.rows));
        break;
      case "timed out":
        this.#finish((waiting) => waiting.reject(new StatementTimedOut(waiting.read.timeMs)));
        break;
      case "failed":
        this.#finish((waiting) => waiting.reject(new Error(message.message)));
        break;
      case "closed":
        this.#closing.get(message.source)?.();
        this.#closing.delete(message.source);
        this.#rest();
    }
  }

  #giveUp(): void {
    const waiting = this.#read;
    if (waiting) waiting.reject(new StatementTimedOut(waiting.read.timeMs));
    void this.#worker.terminate();
  }

  #finish(settle: (waiting: Running) => void): void {
    this.#takeBack?.();
    const waiting = this.#read;
    this.#read = undefined;
    this.#rest();
    if (waiting) settle(waiting);
  }

  #rest(): void {
    if (!this.#read && this.#closing.size === 0) this.#worker.unref();
  }
}
