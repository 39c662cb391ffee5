/**
 * Shared state of instances with the same store, except records: the time, counters of rates and
 * limits, idempotency keys in progress, claims of deliveries. It is a capability of stores that
 * several processes may have open. If one process owns the store, all of it is in that process's
 * memory.
 *
 * Everything that an instance holds belongs to a lease. A live instance renews its lease; that of a
 * dead instance expires by itself. Each lease has a unique name, so an instance that has lost its
 * lease can't change what another instance has acquired since.
 */
import type { Awaitable } from "../support/awaitable.ts";
import type { AttemptNote, AttemptResult, DueDelivery, Receiver } from "./deliveries.ts";

export interface Shared {
  /** Milliseconds since 1970, by the common clock of all instances. */
  now(): number;
  readonly rates: SharedRates;
  readonly places: SharedSlots;
  readonly keys: SharedKeys;
  readonly claims: DeliveryClaims;
}

/**
 * The algorithm of a rate: a refilling bucket (GCRA), or windows that start with the first request.
 */
export interface RateRule {
  /** The name of the rate with its parameters, equal on every instance. */
  readonly name: string;
  readonly kind: "bucket" | "window";
  /** Bucket: the time to refill one unit. Window: its length. In milliseconds. */
  readonly unitMs: number;
  /**
   * Bucket: the maximum lead of the time at which it is full, in milliseconds. Window: its
   * capacity.
   */
  readonly room: number;
}

export interface RateRequest {
  readonly rule: RateRule;
  /** The holder's name. */
  readonly holder: string;
  readonly cost: number;
  /** The time of the request; null for the common clock. Only tests set it. */
  readonly atMs: number | null;
}

/** The state of a holder. Times are relative to now, so that differences of clocks don't matter. */
export interface RateBalance {
  readonly isAllowed: boolean;
  /** Bucket: the milliseconds until it is full. Window: the time since its start. */
  readonly ms: number;
  /** Window: the used units. */
  readonly used: number;
  /** Window: distinguishes it from others of the same holder. */
  readonly since: number;
}

/** @throws StoreUnavailable where the result is unknown */
export interface SharedRates {
  take(request: RateRequest): Promise<RateBalance>;
  /** @param since the window of the charge; a window that started later has nothing to refund */
  refund(request: RateRequest, since: number): Promise<RateBalance>;
  /** Reads the state without a charge. */
  peek(request: RateRequest): Promise<RateBalance>;
}

/** Slots that are held temporarily, with a maximum over all instances. */
export interface SharedSlots {
  /** Returns false if all are in use. @throws StoreUnavailable where the result is unknown */
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
  /** Never fails, like `SharedSlots.leave`. */
  end(key: string): Promise<void>;
}

/** A delivery that we may attempt until its lease ends. */
export interface ClaimedDelivery extends DueDelivery {
  /** Only the holder of the last of these numbers may store the result. */
  readonly fence: number;
}

export interface ClaimOptions {
  readonly isFailing: boolean;
  /** Deliveries that are due at this time are claimed. */
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
  /** Releases a claim without an attempt: any instance may claim the delivery. Never fails. */
  release(claimed: Pick<ClaimedDelivery, "number" | "fence">): Promise<void>;
  /**
   * Stores the result of a claimed delivery's attempt, like `Deliveries.noteAttempt`, in a
   * transaction that changes nothing else.
   */
  noteAttempt(claimed: Receiver, note: AttemptNote, result: AttemptResult): Promise<AttemptNote | null>;
  /** When the first claim of another living instance expires; null if there is none. */
  nextEnd(): Awaitable<number | null>;
}
