/**
 * Password queue: requests wait here to have passwords hashed. Each hash takes a core and 19 MiB
 * for some 20 ms, so one client must not use up the capacity of others. Addresses alternate, and
 * within an address its accounts do. Clients that failed lately come after the others, with a lower
 * bound. Each fourth slot goes to the request that has waited longest, so that no request waits
 * forever. `secrets.ts` hashes.
 */
import { nonNull } from "../../support/non-null.ts";
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Clock, PasswordQueue, PasswordRequester } from "../ports.ts";
import { Problem } from "../problem.ts";

export const passwordLimits = {
  /** Maximum number of concurrent hashes, on any number of cores. */
  atOnceMax: 8,
  /** Maximum number of waiting requests; further requests receive 503 with `Retry-After`. */
  waitingMax: 1000,
  /** Maximum number of waiting requests of clients whose address or account has failed lately. */
  failingWaitingMax: 500,
  /** Maximum number of waiting requests of clients whose address and account have failed lately. */
  failingTwiceWaitingMax: 250,
  /** Maximum wait before a request is rejected, in milliseconds. */
  waitMs: 10_000,
  /** How long a failure is remembered, in milliseconds. */
  failureMs: 60_000,
  /**
   * Maximum number of addresses and accounts whose failures are remembered; beyond, the oldest are
   * forgotten.
   */
  failuresMax: 10_000,
} as const;

/** Node's default number of threads for such work; one stays free for files and DNS. */
const threads = 4;

/** How many of address and account have failed lately: the rank in the queue. */
type Rank = 0 | 1 | 2;

const waitingMax: readonly number[] = [
  passwordLimits.waitingMax,
  passwordLimits.failingWaitingMax,
  passwordLimits.failingTwiceWaitingMax,
];

/** Number of tasks by rank before one goes to the request that has waited longest. */
const turnsByRank = 3;

interface Waiting {
  readonly rank: Rank;
  readonly address: string;
  readonly account: string;
  readonly signal: AbortSignal | undefined;
  readonly sinceMs: number;
  begin(): void;
  refuse(): void;
}

/** The queue by address and account; after a task, its address and account go to the end. */
type Line = Map<string, Map<string, Set<Waiting>>>;

/** @param atOnceMax less than the number of threads for such work */
export class SharedPasswordQueue implements PasswordQueue {
  readonly #clock: Clock;
  readonly #atOnceMax: number;
  readonly #lines: readonly Line[] = [new Map(), new Map(), new Map()];
  readonly #counts = [0, 0, 0];
  readonly #byArrival = new Set<Waiting>();
  readonly #failures: ReturnType<typeof createFailures>;
  #running = 0;
  #served = 0;

  constructor(clock: Clock, atOnceMax: number = passwordsAtOnce(threads)) {
    this.#clock = clock;
    this.#atOnceMax = atOnceMax;
    this.#failures = createFailures(clock);
  }

  run<T>({ address, account, signal }: PasswordRequester, work: () => Promise<T>): Promise<T> {
    const rank = this.#failures.rankOf(address, keyOf(account));
    if (
      this.#byArrival.size >= passwordLimits.waitingMax ||
      (this.#counts[rank] as number) >= (waitingMax[rank] as number)
    )
      return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#running -= 1;
        this.#startNext();
      };
      this.#enter({
        rank,
        address,
        account: keyOf(account),
        signal,
        sinceMs: this.#clock.now(),
        begin: () => void work().then(resolve, reject).finally(end),
        refuse: () => reject(tooMany()),
      });
      this.#startNext();
    });
  }

  note({ address, account }: PasswordRequester, isRight: boolean): void {
    this.#failures.note(address, keyOf(account), isRight);
  }

  #leave(waiting: Waiting): void {
    const line = this.#lines[waiting.rank] as Line;
    const accounts = line.get(waiting.address) as Map<string, Set<Waiting>>;
    const lane = nonNull(accounts.get(waiting.account));
    lane.delete(waiting);
    accounts.delete(waiting.account);
    if (lane.size > 0) accounts.set(waiting.account, lane);
    line.delete(waiting.address);
    if (accounts.size > 0) line.set(waiting.address, accounts);
    this.#byArrival.delete(waiting);
    this.#counts[waiting.rank] = (this.#counts[waiting.rank] as number) - 1;
  }

  #enter(waiting: Waiting): void {
    const line = this.#lines[waiting.rank] as Line;
    const accounts = line.get(waiting.address) ?? new Map<string, Set<Waiting>>();
    line.set(waiting.address, accounts);
    const lane = accounts.get(waiting.account) ?? new Set<Waiting>();
    accounts.set(waiting.account, lane);
    lane.add(waiting);
    this.#byArrival.add(waiting);
    this.#counts[waiting.rank] = (this.#counts[waiting.rank] as number) + 1;
  }

  #next(): Waiting | undefined {
    const dueMs = this.#clock.now() - passwordLimits.waitMs;
    for (const waiting of this.#byArrival) {
      if (waiting.sinceMs >= dueMs && !waiting.signal?.aborted) break;
      this.#leave(waiting);
      waiting.refuse();
    }
    this.#served += 1;
    if (this.#served % (turnsByRank + 1) === 0) return firstOf(this.#byArrival);
    const line = this.#lines.find((candidate) => candidate.size > 0);
    return line && firstOf(firstOf(firstOf(line.values())?.values() ?? []) ?? []);
  }

  #startNext(): void {
    while (this.#running < this.#atOnceMax) {
      const waiting = this.#next();
      if (!waiting) return;
      this.#leave(waiting);
      if (waiting.signal?.aborted) waiting.refuse();
      else {
        this.#running += 1;
        waiting.begin();
      }
    }
  }
}

/** Returns the number of concurrent hashes for a number of threads in Node's pool. */
export function passwordsAtOnce(threads: number): number {
  return Math.max(1, Math.min(availableParallelism(), threads - 1, passwordLimits.atOnceMax));
}

/** Recent failures. A correct password clears its account, and not its address. */
function createFailures(clock: Clock) {
  const untilMs = new Map<string, number>();
  const hasFailed = (key: string): boolean => (untilMs.get(key) ?? 0) > clock.now();
  const remember = (key: string): void => {
    untilMs.delete(key);
    untilMs.set(key, clock.now() + passwordLimits.failureMs);
    if (untilMs.size > passwordLimits.failuresMax) untilMs.delete(firstOf(untilMs.keys()) as string);
  };
  return {
    rankOf: (address: string, account: string): Rank =>
      ((hasFailed(`address ${address}`) ? 1 : 0) + (hasFailed(`account ${account}`) ? 1 : 0)) as Rank,
    note(address: string, account: string, isRight: boolean) {
      if (isRight) untilMs.delete(`account ${account}`);
      else [`address ${address}`, `account ${account}`].forEach(remember);
    },
  };
}

/** Names may be long, so only a digest is remembered. */
function keyOf(account: string): string {
  return createHash("sha256").update(account).digest("base64url");
}

function firstOf<T>(values: Iterable<T>): T | undefined {
  for (const value of values) return value;
  return undefined;
}

function tooMany(): Problem {
  return new Problem({
    condition: "unavailable",
    problem: "is busy hashing other passwords",
    retryAfterSeconds: 1,
  });
}
