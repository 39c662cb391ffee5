/**
 * Ports: time, randomness, the network and the log, which the engine receives from its environment.
 * Tests and sandboxes supply their own.
 */

import type { Socket } from "node:net";
import type { Store } from "../store/store.ts";
import { machine } from "../support/machine.ts";

export interface Ports {
  readonly clock: Clock;
  /**
   * The real-time clock for connections, if `clock` may be stopped or moved (a sandbox); absent if
   * `clock` is real time.
   */
  readonly machine?: Clock;
  /**
   * Returns a monotonic time in fractional milliseconds, for durations; absent if `clock` is used.
   */
  readonly stopwatch?: () => number;
  /** Returns unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  readonly log: Log;
  /**
   * Absent for the machine's network. E-mail uses the `mailer` of the service, which has its own
   * network.
   */
  readonly network?: Network;
  /** The password queue, if services share it (data spaces); absent if the service has its own. */
  readonly passwords?: PasswordQueue;
  /** The cost of password hashes; absent for the recommended one. */
  readonly passwordCost?: PasswordCost;
}

/** The cost of a password hash, as parameters of argon2id. */
export interface PasswordCost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  /** The length of the hash in bytes. */
  readonly tagLength: number;
}

/**
 * Access to other hosts that a document or a caller names. The code that uses this port checks
 * which hosts are allowed (`outbound/outbound.ts`).
 */
export interface Network {
  /** Returns all addresses of a name. */
  resolve(name: string): Promise<readonly string[]>;
  /**
   * Sends one request to this address over a separate connection, whatever the host name resolves
   * to afterwards.
   */
  request(request: NetworkRequest, address: string): Promise<NetworkResponse>;
  /** Opens a connection to a host that the operator names, for other protocols. */
  connect(host: string, port: number): Promise<Socket>;
}

export interface NetworkRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request, including the response body. */
  readonly signal: AbortSignal;
}

export interface NetworkResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it arrives. Ending the iteration closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The origin of a request in the password queue. */
export interface PasswordRequester {
  /** The client's address; for IPv6, its network. */
  readonly address: string;
  /**
   * The account that the caller claims, whether it exists or not. Otherwise the waiting time would
   * reveal which accounts exist.
   */
  readonly account: string;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

export interface PasswordQueue {
  /**
   * Queues and runs password hashing.
   * @throws Problem *unavailable* if the queue is full or the work has waited too long
   */
  run<T>(requester: PasswordRequester, work: () => Promise<T>): Promise<T>;
  /** Records whether a password was correct, for later scheduling. */
  note(requester: PasswordRequester, isRight: boolean): void;
}

export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /**
   * Calls back once at that time or soon after. It may call early; then the code schedules the call
   * again. Returns a function that cancels the call. A pending call never keeps the process alive.
   */
  at(timeMs: number, callback: () => void): () => void;
  /** Whether the clock was set, for tests. Then no other clock may correct it. */
  readonly isSet?: true;
}

export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/**
 * Interval at which the clock is checked, in milliseconds. Platform timers ignore clock adjustments
 * and sleep.
 */
const recheckMs = 60_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => machine.now(),
  at: (timeMs, callback) =>
    machine.after(Math.min(Math.max(0, timeMs - machine.now()), recheckMs), callback, true),
};

/**
 * Returns the real-time clock, for waiting on other hosts and the author's functions. A clock that
 * was set does not apply there.
 */
export function realClock({ clock, machine: real }: Pick<Ports, "clock" | "machine">): Clock {
  return real ?? (clock.isSet ? systemClock : clock);
}

/**
 * Creates a signal that is aborted after this time, in milliseconds, and a function that cancels
 * the time-out.
 */
export function startTimeout(
  clock: Clock,
  ms: number,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const controller = new AbortController();
  const cancel = callWhenReached(clock, clock.now() + ms, () => controller.abort());
  return { signal: controller.signal, cancel };
}

/**
 * Returns ports with the clock that the instances of a store share. Instances must not use the
 * clocks of their machines, because one instance runs transitions that another made due. `now` is
 * the shared time, and timers wait until that time.
 */
export function withSharedClock(ports: Ports, { shared }: Pick<Store, "shared">): Ports {
  const { clock } = ports;
  if (!shared || clock.isSet) return ports;
  const now = () => shared.now();
  const at: Clock["at"] = (timeMs, callback) => clock.at(clock.now() + timeMs - shared.now(), callback);
  return { ...ports, clock: { now, at }, machine: ports.machine ?? clock };
}

/**
 * Calls back when a clock has reached a time, rescheduling as needed. Returns a function that
 * cancels the call.
 */
export function callWhenReached(clock: Clock, timeMs: number, callback: () => void): () => void {
  let cancel: () => void;
  const schedule = () => {
    cancel = clock.at(timeMs, () => (clock.now() >= timeMs ? callback() : schedule()));
  };
  schedule();
  return () => cancel();
}

/** A clock that moves only on request, for tests and scenarios. */
export interface MovableClock extends Clock {
  moveBy(milliseconds: number): void;
  /** The earliest time of a pending timer. */
  earliest(): number | null;
}

export function createMovableClock(startMs: number): MovableClock {
  let time = startMs;
  const timers = new Set<{ readonly timeMs: number; readonly callback: () => void }>();
  return {
    isSet: true,
    now: () => time,
    at(timeMs, callback) {
      const timer = { timeMs, callback };
      timers.add(timer);
      // The time has passed already, and the clock may never move again.
      if (timeMs <= time) machine.after(0, () => timers.delete(timer) && callback(), true);
      return () => timers.delete(timer);
    },
    earliest: () => (timers.size === 0 ? null : Math.min(...[...timers].map((timer) => timer.timeMs))),
    moveBy(milliseconds) {
      time += milliseconds;
      for (const timer of [...timers].sort((a, b) => a.timeMs - b.timeMs)) {
        if (timer.timeMs > time) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}
