/**
 * Log of the built-in receiver in one data space: received requests and configured responses by
 * name, in bounded memory. It serves to try webhooks, so it isn't stored.
 */
import type { SignatureVerdict } from "../../engine/deliveries/deliveries.ts";
import type { Service } from "../../engine/service.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

export const receiverLimits = {
  /** The maximum number of names; the least recently used one is dropped. */
  namesMax: 16,
  /** The maximum number of stored requests for each name. */
  requestsMax: 50,
  /** The maximum stored size of one body, in bytes; the rest is cut off. */
  storedBodyBytesMax: 64 * 1024,
  /** The maximum stored size of all bodies, in bytes; the oldest requests are dropped. */
  storedBytesMax: 4 * 1024 * 1024,
  /** Maximum size of an accepted body, in bytes. */
  bodyBytesMax: 1024 * 1024,
  /** The delay of a slow response, in milliseconds: longer than the usual timeout of webhooks. */
  slowMs: 20_000,
  /** The maximum number of concurrent slow responses; further responses are sent at once. */
  slowMax: 32,
} as const;

/** The responses of a receiver: success, a failure, 410, 429, or a late one. */
export const receiverBehaviors = ["ok", "fails", "gone", "overloaded", "slow"] as const;
export type ReceiverBehavior = (typeof receiverBehaviors)[number];

export interface Received {
  /** A sequence number across all names, from 1. */
  readonly number: number;
  readonly name: string;
  /** The time by the data space's clock, in milliseconds. */
  readonly timeMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The full length of the body, in bytes. The stored body may be shorter. */
  readonly bodyBytes: number;
  /** The response that was sent. */
  readonly status: number;
  readonly behavior: ReceiverBehavior;
  readonly verdict: SignatureVerdict;
}

export interface ReceivedLog {
  behaviorOf(name: string): ReceiverBehavior;
  setBehavior(name: string, behavior: ReceiverBehavior): void;
  note(received: Omit<Received, "number">): Received;
  /** The requests to a name, newest first. */
  of(name: string): readonly Received[];
  names(): readonly string[];
  clear(name: string): void;
  /** Calls back with each request; the returned function unsubscribes. */
  watch(listener: (received: Received) => void): () => void;
}

interface Named {
  behavior: ReceiverBehavior;
  received: Received[];
}

/** The log of a service. A reset of a data space replaces its service, and so empties the log. */
export const receivedBy = memoizeBy((_service: Service): ReceivedLog => {
  const named = new Map<string, Named>();
  const listeners = new Set<(received: Received) => void>();
  let count = 0;

  const at = (name: string): Named => {
    const known = named.get(name) ?? { behavior: "ok", received: [] };
    // The map keeps the most recently used name last.
    named.delete(name);
    named.set(name, known);
    if (named.size > receiverLimits.namesMax) named.delete(named.keys().next().value as string);
    return known;
  };

  const dropOldest = () => {
    const all = [...named.values()]
      .flatMap(({ received }) => received)
      .toSorted((a, b) => b.number - a.number);
    let storedBytes = 0;
    const dropped = new Set<Received>();
    for (const entry of all) {
      storedBytes += entry.body.byteLength;
      if (storedBytes > receiverLimits.storedBytesMax) dropped.add(entry);
    }
    if (dropped.size === 0) return;
    for (const receiver of named.values())
      receiver.received = receiver.received.filter((received) => !dropped.has(received));
  };

  return {
    behaviorOf: (name) => named.get(name)?.behavior ?? "ok",
    setBehavior(name, behavior) {
      at(name).behavior = behavior;
    },
    note(parts) {
      count += 1;
      const received = { number: count, ...parts };
      const own = at(parts.name);
      own.received = [received, ...own.received].slice(0, receiverLimits.requestsMax);
      dropOldest();
      for (const listener of listeners) listener(received);
      return received;
    },
    of: (name) => named.get(name)?.received ?? [],
    names: () => [...named.keys()].toSorted(),
    clear(name) {
      const known = named.get(name);
      if (known) known.received = [];
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
});
