/** What the engine takes from outside: time, randomness, the network, words for the log. Tests and sandboxes give their own. */

import type { Socket } from "node:net";
import type { Store } from "../store/store.ts";
import { machine } from "../support/machine.ts";

export interface Ports {
  readonly clock: Clock;
  /** Real time, for connections, where `clock` may stand still or be moved (a sandbox); absent where it is the same. */
  readonly machine?: Clock;
  /** How long things take, in milliseconds and their parts: only goes forward. Absent where the clock will do. */
  readonly stopwatch?: () => number;
  /** Unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  readonly log: Log;
  /** Absent where it is the machine's. Mail goes by the `mailer` that a service is given, which has been given a network, too. */
  readonly network?: Network;
  /** The line for the machine's cores, where services share it (data spaces); absent where a service has one of its own. */
  readonly passwords?: PasswordQueue;
}

/** The hosts outside, for what a document or a caller names. Which of them may be asked is judged by whoever asks (`outbound/outbound.ts`). */
export interface Network {
  /** All addresses of a name. */
  resolve(name: string): Promise<readonly string[]>;
  /** Sends one request over a connection of its own to this address, whatever the name in it would be resolved to by now. */
  request(request: NetworkRequest, address: string): Promise<NetworkResponse>;
  /** A connection to a host that the operator names, over which the other side's protocol is spoken. */
  connect(host: string, port: number): Promise<Socket>;
}

export interface NetworkRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends it, the answer's body too. */
  readonly signal: AbortSignal;
}

export interface NetworkResponse {
  readonly status: number;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it comes; whoever has had enough of it leaves, and the connection is closed. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Whose turn it is that is asked for. */
export interface PasswordRequester {
  /** Of IPv6 the network. */
  readonly address: string;
  /** By what the caller wants to be known, whether or not there is such an account: else the wait would tell. */
  readonly account: string;
  /** Aborted where nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface PasswordQueue {
  /** Does the work when it is its turn. @throws Problem *unavailable* where too many wait, or it has waited too long */
  run<T>(requester: PasswordRequester, work: () => Promise<T>): Promise<T>;
  /** Notes whether a password was the right one, for the turns to come. */
  note(requester: PasswordRequester, isRight: boolean): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, at that time or soon after, or earlier, to be asked again; the answer takes the wish back. Never keeps a process alive. */
  at(timeMs: number, callback: () => void): () => void;
  /** It shows a time that somebody has set, for tests: no other clock is to put it right. */
  readonly isSet?: true;
}

export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** The platform's timers don't follow a clock that is set, or a machine that slept: so often it is looked at anew, in milliseconds. */
const recheckMs = 60_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => machine.now(),
  at: (timeMs, callback) =>
    machine.after(Math.min(Math.max(0, timeMs - machine.now()), recheckMs), callback, true),
};

/** Real time, in which hosts outside and the author's functions are waited for: what somebody has set is no clock for them. */
export function realClock({ clock, machine: real }: Pick<Ports, "clock" | "machine">): Clock {
  return real ?? (clock.isSet ? systemClock : clock);
}

/** A signal that is given when real time has run so long, and a way to call it off. */
export function startTimeout(
  clock: Clock,
  ms: number,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const controller = new AbortController();
  const cancel = whenPast(clock, clock.now() + ms, () => controller.abort());
  return { signal: controller.signal, cancel };
}

/**
 * Of several instances that share a store none goes by its own machine's clock: what one of them makes due, the others take. So `now` is the
 * time that they share, and what waits for a time waits for as long as it is until then.
 */
export function withSharedClock(ports: Ports, { shared }: Pick<Store, "shared">): Ports {
  const { clock } = ports;
  if (!shared || clock.isSet) return ports;
  const now = () => shared.now();
  const at: Clock["at"] = (timeMs, callback) => clock.at(clock.now() + timeMs - shared.now(), callback);
  return { ...ports, clock: { now, at }, machine: ports.machine ?? clock };
}

/** Calls back when a clock has come to a time, however often it has to be asked. The answer takes the wish back. */
export function whenPast(clock: Clock, timeMs: number, callback: () => void): () => void {
  let cancel: () => void;
  const schedule = () => {
    cancel = clock.at(timeMs, () => (clock.now() >= timeMs ? callback() : schedule()));
  };
  schedule();
  return () => cancel();
}

/** A clock that only moves when told to, for tests and scenarios. */
export interface MovableClock extends Clock {
  moveBy(milliseconds: number): void;
  /** The soonest time that anybody waits for. */
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
      // It has come already, and nobody may ever move it again.
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
