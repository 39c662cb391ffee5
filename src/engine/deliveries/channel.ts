/** Delivery channels: how webhooks, or e-mails, are sent, and what an attempt received. */
import type {
  AttemptNote,
  AttemptResult,
  DeliveryChannel,
  DueDelivery,
  Receiver,
} from "../../store/deliveries.ts";
import type { Transaction } from "../../store/store.ts";
import type { AttemptOutcome, RetryPolicy } from "./schedule.ts";

/** What an attempt received. The store keeps no headers. */
export interface ReceivedResult extends AttemptResult {
  /** By lower-case name; null if there was no response. */
  readonly headers: Readonly<Record<string, string>> | null;
}

/**
 * Notes the outcome of an attempt and its result (null if the delivery was given up without one).
 * Returns the earliest due time of the timers that it set.
 */
export type NoteOfAttempt = (
  delivery: DueDelivery,
  note: AttemptNote,
  result: ReceivedResult | null,
  transaction: Transaction,
) => Promise<number | null>;

/** A channel: how webhooks, or emails, are sent. */
export interface Channel {
  /** The retry policy by an event's name. */
  readonly policyOf: (event: string) => RetryPolicy;
  /** Makes an attempt. Never throws; `signal` aborts it. */
  attempt(delivery: DueDelivery, signal: AbortSignal): Promise<AttemptOutcome>;
  /** Called in the transaction that stores the outcome of an attempt. */
  readonly noted?: NoteOfAttempt;
  /** Called before each search: due timed transitions run first. */
  runDueTransitions?(): Promise<void>;
  /**
   * Called when a receiver answered that it wants no more deliveries, with the revision of its
   * record.
   */
  disabled?(receiver: Receiver, revision: number): void;
  enabled?(receiver: Omit<Receiver, "channel">): void;
}

export type Channels = Partial<Record<DeliveryChannel, Channel>>;
