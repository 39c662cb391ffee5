/**
 * Password queue: requests wait here to have passwords hashed. Each hash takes a core and 19 MiB for some 20 ms, so
 * one client must not use up the capacity of others. Addresses alternate, and within an address its accounts do.
 * Clients that failed lately come after the others, with a lower bound. Each fourth turn goes to the longest waiter,
 * so that no one waits forever. `secrets.ts` does the hashing.
 */
import { nonNull } from "../../support/non-null.ts";
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Clock, PasswordQueue } from "../ports.ts";
import { Problem } from "../problem.ts";

export const passwordLimits = {
  /** Concurrent hashes, whatever the number of cores. */
  atOnceMax: 8,
  /** The most waiting requests; further ones receive 503 with `Retry-After`. */
  waitingMax: 1000,
  /** Of these, for clients whose address or account has failed lately. */
  failingWaitingMax: 500,
  /** Of these, for clients whose address and account have failed. */
  failingTwiceWaitingMax: 250,
  /** The longest wait before a request is refused, in milliseconds. */
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

/** The number of turns by rank before one goes to the longest waiter. */
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

/** The queue by address and account; each that was served goes to the end. */
type Line = Map<string, Map<string, Set<Waiting>>>;

/** @param atOnceMax fewer than the threads that there are for such work */
export function createPasswordQueue(
  clock: Clock,
  atOnceMax: number = passwordsAtOnce(threads),
): PasswordQueue {
  const lines: readonly Line[] = [new Map(), new Map(), new Map()];
  const counts = [0, 0, 0];
  const byArrival = new Set<Waiting>();
  const failures = createFailures(clock);
  let running = 0;
  let turns = 0;

  const leave = (one: Waiting): void => {
    const line = lines[one.rank] as Line;
    const accounts = line.get(one.address) as Map<string, Set<Waiting>>;
    const lane = nonNull(accounts.get(one.account));
    lane.delete(one);
    accounts.delete(one.account);
    if (lane.size > 0) accounts.set(one.account, lane);
    line.delete(one.address);
    if (accounts.size > 0) line.set(one.address, accounts);
    byArrival.delete(one);
    counts[one.rank] = (counts[one.rank] as number) - 1;
  };
  const enter = (one: Waiting): void => {
    const line = lines[one.rank] as Line;
    const accounts = line.get(one.address) ?? new Map<string, Set<Waiting>>();
    line.set(one.address, accounts);
    const lane = accounts.get(one.account) ?? new Set<Waiting>();
    accounts.set(one.account, lane);
    lane.add(one);
    byArrival.add(one);
    counts[one.rank] = (counts[one.rank] as number) + 1;
  };
  const next = (): Waiting | undefined => {
    const dueMs = clock.now() - passwordLimits.waitMs;
    for (const one of byArrival) {
      if (one.sinceMs >= dueMs && !one.signal?.aborted) break;
      leave(one);
      one.refuse();
    }
    turns += 1;
    if (turns % (turnsByRank + 1) === 0) return firstOf(byArrival);
    const line = lines.find((one) => one.size > 0);
    return line && firstOf(firstOf(firstOf(line.values())?.values() ?? []) ?? []);
  };
  const goOn = (): void => {
    while (running < atOnceMax) {
      const one = next();
      if (!one) return;
      leave(one);
      if (one.signal?.aborted) one.refuse();
      else {
        running += 1;
        one.begin();
      }
    }
  };

  return {
    run({ address, account, signal }, work) {
      const rank = failures.rankOf(address, keyOf(account));
      if (
        byArrival.size >= passwordLimits.waitingMax ||
        (counts[rank] as number) >= (waitingMax[rank] as number)
      )
        return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const end = () => {
          running -= 1;
          goOn();
        };
        enter({
          rank,
          address,
          account: keyOf(account),
          signal,
          sinceMs: clock.now(),
          begin: () => void work().then(resolve, reject).finally(end),
          refuse: () => reject(tooMany()),
        });
        goOn();
      });
    },
    note: ({ address, account }, isRight) => failures.note(address, keyOf(account), isRight),
  };
}

/** The number of concurrent hashes with so many threads of Node's pool. */
export function passwordsAtOnce(threads: number): number {
  return Math.max(1, Math.min(availableParallelism(), threads - 1, passwordLimits.atOnceMax));
}

/** Recent failures. A right password clears its account, and not its address. */
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
  for (const one of values) return one;
  return undefined;
}

function tooMany(): Problem {
  return new Problem({
    condition: "unavailable",
    problem: "is busy hashing other passwords",
    retryAfterSeconds: 1,
  });
}
