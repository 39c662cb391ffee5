/**
 * What instances with the same store share besides records: the time, counters of rates and
 * limits, idempotency keys in progress, claims of deliveries. It is a capability of stores that
 * several processes may have open.
 * If one process owns the store, all of it is in that process's memory.
 *
 * A dead instance sends nothing. What it held belongs to a lease, which it renews while it lives
 * and which expires by itself. Each lease has a unique name, so that an instance that has lost its
 * lease can't change what another one holds since.
 */
import type { Awaitable } from "../support/awaitable.ts";
import type { DueDelivery } from "./deliveries.ts";

export interface Shared {
  /** Milliseconds since 1970, by the clock that all instances go by. */
  now(): number;
  readonly rates: SharedRates;
  readonly places: SharedPlaces;
  readonly keys: SharedKeys;
  readonly claims: DeliveryClaims;
}

/** How a rate counts: a bucket that is filled again (GCRA), or windows that begin with the first request. */
export interface RateRule {
  /** Which rate it is, and how it counts: the same text on every instance. */
  readonly name: string;
  readonly kind: "bucket" | "window";
  /** Bucket: how long one of cost 1 takes to be filled again. Window: how long it is. In milliseconds. */
  readonly unitMs: number;
  /** Bucket: how far the time at which it is full may be ahead, in milliseconds. Window: how much it has. */
  readonly room: number;
}

export interface RateRequest {
  readonly rule: RateRule;
  /** The holder's name. */
  readonly holder: string;
  readonly cost: number;
  /** The time that counts; null for the clock that all instances go by, which is what counts but in tests that set the time. */
  readonly atMs: number | null;
}

/** The state of a holder. Times are relative to now, so that clocks don't matter. */
export interface RateStanding {
  readonly isAllowed: boolean;
  /** Bucket: the milliseconds until it is full. Window: the time since its start. */
  readonly ms: number;
  /** Window: how much of it is used. */
  readonly used: number;
  /** Window: distinguishes it from others of the same holder. */
  readonly since: number;
}

/** @throws StoreUnavailable where the result is unknown */
export interface SharedRates {
  take(request: RateRequest): Promise<RateStanding>;
  /** @param since of the earlier take; a window that started later has nothing to give back */
  giveBack(request: RateRequest, since: number): Promise<RateStanding>;
  /** Takes nothing. */
  peek(request: RateRequest): Promise<RateStanding>;
}

/** Slots that are taken for a while, with a maximum in all. */
export interface SharedPlaces {
  /** Returns false where all are in use. @throws StoreUnavailable where the result is unknown */
  take(key: string, most: number): Promise<boolean>;
  /** Never fails: if the write fails now, a later one follows, or the lease ends. */
  leave(key: string): Promise<void>;
}

/** Keys with at most one request in progress. */
export interface SharedKeys {
  /**
   * Returns null if the key had no holder and is now ours; else the holder's request.
   * @throws StoreUnavailable if the result is unknown
   */
  begin(key: string, fingerprint: string): Promise<string | null>;
  /** Never fails, like `SharedPlaces.leave`. */
  end(key: string): Promise<void>;
}

/** A delivery that we may attempt until its lease ends. */
export interface ClaimedDelivery extends DueDelivery {
  /** Only the holder of the last of these numbers may store the result. */
  readonly fence: number;
}

export interface ClaimOptions {
  readonly isFailing: boolean;
  /** What is due at this time. */
  readonly nowMs: number;
  /** The maximum number. */
  readonly places: number;
  /** Maximum number of active deliveries per receiver, over all instances. */
  readonly perReceiver: number;
  readonly leaseMs: number;
}

export interface DeliveryClaims {
  /** Claims what is due, longest due first; no other instance can claim it until the lease ends. */
  claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]>;
  /** It wasn't attempted: any instance may claim it. Never fails. */
  release(claimed: Pick<ClaimedDelivery, "number" | "fence">): Promise<void>;
  /** When the first claim of another living instance expires; null if there is none. */
  nextEnd(): Awaitable<number | null>;
}
