/**
 * What instances of a service that share a store hold in common besides what is stored: the time, what rates and limits have counted, which
 * idempotency keys are under way, who sends which delivery. A capability of stores that several processes may have open; where one process
 * owns the store all of it stands in that process's memory.
 *
 * An instance that dies says nothing: what it held is held by a lease, which it renews while it lives and which ends by itself. Each lease
 * has a name that no other one ever has, so that who has lost one and goes on can't take away or add to what another one holds since.
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
  /** Whose. */
  readonly holder: string;
  readonly cost: number;
  /** The time that counts; null for the clock that all instances go by, which is what counts but in tests that set the time. */
  readonly atMs: number | null;
}

/** How a holder stands. Times are from now, so that it doesn't matter whose clock says it. */
export interface RateStanding {
  readonly isAllowed: boolean;
  /** Bucket: in how many milliseconds it is full. Window: how long ago it has begun. */
  readonly ms: number;
  /** Window: how much of it is used. */
  readonly used: number;
  /** Window: by which it is told from others of the same holder. */
  readonly since: number;
}

/** @throws StoreUnavailable where nobody can tell */
export interface SharedRates {
  take(statement: RateRequest): Promise<RateStanding>;
  /** @param since of what was taken; a window that has begun since has nothing to give back */
  giveBack(statement: RateRequest, since: number): Promise<RateStanding>;
  /** Takes nothing. */
  peek(statement: RateRequest): Promise<RateStanding>;
}

/** Places that are taken for a while, of which there are so many in all. */
export interface SharedPlaces {
  /** Answers false where all are taken. @throws StoreUnavailable where nobody can tell */
  take(key: string, most: number): Promise<boolean>;
  /** Never fails: where it can't be told now it is told later, or the lease ends. */
  leave(key: string): Promise<void>;
}

/** Keys of which one request is under way at a time. */
export interface SharedKeys {
  /** Answers null where nobody else has it, so that it is ours; else what is asked with it. @throws StoreUnavailable where nobody can tell */
  begin(key: string, statement: string): Promise<string | null>;
  /** Never fails, like `SharedPlaces.leave`. */
  end(key: string): Promise<void>;
}

/** A delivery that is ours to be attempted until its lease ends. */
export interface ClaimedDelivery extends DueDelivery {
  /** Its result is taken from whoever has the last of these numbers. */
  readonly fence: number;
}

export interface ClaimOptions {
  readonly isFailing: boolean;
  /** What is due at this time. */
  readonly nowMs: number;
  /** At most so many. */
  readonly places: number;
  /** Of one receiver at most so many are under way, whoever sends them. */
  readonly perReceiver: number;
  readonly leaseMs: number;
}

export interface DeliveryClaims {
  /** Takes what is due, longest due first; nobody else does until the lease ends. */
  claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]>;
  /** It wasn't attempted: whoever comes may take it. Never fails. */
  release(claimed: Pick<ClaimedDelivery, "number" | "fence">): Promise<void>;
  /** When the first lease of those that go on will end; null where nothing is claimed. */
  nextEnd(): Awaitable<number | null>;
}
