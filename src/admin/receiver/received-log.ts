/**
 * What the built-in receiver has been sent in one data space, and how it is to answer: by name, in
 * memory, within bounds. It is there to try webhooks, and forgets with the process.
 */
import type { ArrivedVerdict } from "../../engine/deliveries/deliveries.ts";
import type { Service } from "../../engine/service.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

export const receiverLimits = {
  /** Names in use; where one more is, the one that was used longest ago is forgotten. */
  namesMax: 16,
  /** Requests of one name. */
  requestsMax: 50,
  /** Of a body, in bytes; the rest is cut off. */
  storedBodyBytesMax: 64 * 1024,
  /** Of all bodies together, in bytes; the oldest ones go. */
  storedBytesMax: 4 * 1024 * 1024,
  /** Maximum size of an accepted body, in bytes. */
  bodyBytesMax: 1024 * 1024,
  /** How long a slow response is held, in milliseconds: longer than webhooks usually wait. */
  slowMs: 20_000,
  /** Maximum number of concurrent slow responses; further ones are sent at once. */
  slowMax: 32,
} as const;

/** How a receiver answers: with success, a failure, 410, 429, or late. */
export const receiverBehaviors = ["ok", "fails", "gone", "overloaded", "slow"] as const;
export type ReceiverBehavior = (typeof receiverBehaviors)[number];

export interface Received {
  /** Counts from 1 through all names. */
  readonly number: number;
  readonly name: string;
  /** By the data space's clock, in milliseconds. */
  readonly timeMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** How long the body was; it is cut where that is more. */
  readonly bodyBytes: number;
  /** The response that was sent. */
  readonly status: number;
  readonly behavior: ReceiverBehavior;
  readonly verdict: ArrivedVerdict;
}

export interface ReceivedLog {
  behaviorOf(name: string): ReceiverBehavior;
  setBehavior(name: string, behavior: ReceiverBehavior): void;
  note(received: Omit<Received, "number">): Received;
  /** Newest first. */
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

/** Of a service: a reset of a data space forgets it too. */
export const receivedBy = memoizeBy((_service: Service): ReceivedLog => {
  const named = new Map<string, Named>();
  const listeners = new Set<(received: Received) => void>();
  let count = 0;

  const at = (name: string): Named => {
    const known = named.get(name) ?? { behavior: "ok", received: [] };
    // The most recently used is last.
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
