/**
 * Ports: time, randomness, the network and the log, as the engine receives them. Tests and
 * sandboxes supply their own.
 */

import type { Socket } from "node:net";
import type { Store } from "../store/store.ts";
import { machine } from "../support/machine.ts";

export interface Ports {
  readonly clock: Clock;
  /**
   * Real time, for connections, if `clock` may be stopped or moved (a sandbox); absent if `clock`
   * is real time.
   */
  readonly machine?: Clock;
  /** Monotonic clock for durations, in fractional milliseconds; absent if `clock` is used. */
  readonly stopwatch?: () => number;
  /** Unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  readonly log: Log;
  /**
   * Absent for the machine's network. Mail uses the `mailer` of the service, which has its own
   * network.
   */
  readonly network?: Network;
  /** The password queue, if services share it (data spaces); absent if the service has its own. */
  readonly passwords?: PasswordQueue;
}

/**
 * Access to other hosts that a document or a caller names. The caller of this port checks which
 * hosts are allowed (`outbound/outbound.ts`).
 */
export interface Network {
  /** All addresses of a name. */
  resolve(name: string): Promise<readonly string[]>;
  /**
   * Sends one request to this address over a separate connection, whatever the host name resolves
   * to by then.
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
  /** The body as it arrives; ending the iteration closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Who waits in the password queue. */
export interface PasswordRequester {
  /** For IPv6, the network. */
  readonly address: string;
  /**
   * The account that the caller claims, whether or not it exists; otherwise the waiting time would
   * reveal which accounts exist.
   */
  readonly account: string;
  /** Aborted if the client no longer waits. */
  readonly signal?: AbortSignal;
}

export interface PasswordQueue {
  /**
   * Queues and runs the work.
   * @throws Problem *unavailable* if the queue is full or the work has waited too long
   */
  run<T>(requester: PasswordRequester, work: () => Promise<T>): Promise<T>;
  /** Records whether a password was correct, for later scheduling. */
  note(requester: PasswordRequester, isRight: boolean): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls back once, at that time, soon after, or earlier to be rescheduled. Returns a function
   * that cancels the call. Never keeps a process alive.
   */
  at(timeMs: number, callback: () => void): () => void;
  /** The clock was set, for tests: no other clock may correct it. */
  readonly isSet?: true;
}

export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/**
 * Platform timers ignore clock adjustments and sleep, so the clock is checked at this interval, in
 * milliseconds.
 */
const recheckMs = 60_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => machine.now(),
  at: (timeMs, callback) =>
    machine.after(Math.min(Math.max(0, timeMs - machine.now()), recheckMs), callback, true),
};

/**
 * The real-time clock, for waiting on other hosts and the author's functions; a clock that was set
 * does not apply there.
 */
export function realClock({ clock, machine: real }: Pick<Ports, "clock" | "machine">): Clock {
  return real ?? (clock.isSet ? systemClock : clock);
}

/** A signal that is aborted after this much time, and a function that cancels it. */
export function startTimeout(
  clock: Clock,
  ms: number,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const controller = new AbortController();
  const cancel = whenPast(clock, clock.now() + ms, () => controller.abort());
  return { signal: controller.signal, cancel };
}

/**
 * Ports with the clock that instances share. Instances of one store must not use their machines'
 * clocks, because one instance runs what another made due. `now` is the shared time, and timers
 * wait until that time.
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
export function whenPast(clock: Clock, timeMs: number, callback: () => void): () => void {
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
