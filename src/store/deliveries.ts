/**
 * Stored deliveries: which events are still to be sent to which receivers, when, and the results of
 * the attempts. The transaction of a change inserts the rows for its event, so only committed
 * events are sent. The engine sends them and interprets the responses.
 */
import type { Awaitable } from "../support/awaitable.ts";

/** The number of latest attempts that the store keeps for each delivery. */
export const attemptsKept = 20;
/** The maximum to which the open deliveries of a receiver are counted. */
export const openCountedMax = 1_001;

/** The channel of a delivery. */
export type DeliveryChannel = "webhook" | "email";

/** A receiver of deliveries: a record of the document (its address is read again for each attempt). */
export interface Receiver {
  readonly channel: DeliveryChannel;
  readonly resource: string;
  readonly row: number;
}

/** An event of a list that `appendEvents` has returned. Its sequence may still be unknown. */
export interface AppendedEventPlace {
  readonly sequences: readonly number[];
  readonly at: number;
}

export interface NewDelivery extends Receiver {
  /** Stays the same for all attempts. */
  readonly id: string;
  /** The event's sequence in the log. */
  readonly event: number | AppendedEventPlace;
  /** Further data for the channel, fixed when the event happened; null for most deliveries. */
  readonly content: string | null;
  /** Deliveries to one receiver with the same text are sent one after another; null if order doesn't matter. */
  readonly queue: string | null;
  readonly createdAt: number;
  /**
   * The revision of the receiver's record when the event happens. If another instance has disabled
   * the receiver at this revision, it receives nothing. Absent if that is impossible.
   */
  readonly revision?: number;
  /**
   * The row of the record that represents the delivery to callers; null if the document keeps no
   * delivery records.
   */
  readonly record: number | null;
}

/**
 * `open`: an attempt is pending; `done`: it was delivered; `dead`: it was given up, and waits to
 * be sent again or to be deleted.
 */
export type DeliveryState = "open" | "done" | "dead";

export interface DeliveryRow extends Omit<NewDelivery, "event" | "revision"> {
  readonly number: number;
  /** The event's sequence in the log. */
  readonly event: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /**
   * When the next attempt is due; null if there is none, or if it waits for an earlier delivery of
   * its queue.
   */
  readonly dueAt: number | null;
  readonly lastAt: number | null;
  readonly endedAt: number | null;
  /** The status of the last response; null if there was none. */
  readonly status: number | null;
  /** Why the last attempt failed, as text. */
  readonly error: string | null;
  /** The identifier of the event. */
  readonly eventId: string;
  readonly eventType: string;
  readonly eventTime: string;
  readonly subject: string;
}

/** One delivery to be attempted now, with its content. */
export interface DueDelivery extends DeliveryRow {
  readonly payload: string;
}

export interface DueReceiver extends Receiver {
  /** Its last attempt failed. */
  readonly isFailing: boolean;
}

/** Details of an attempt, without its outcome. */
export interface AttemptResult {
  readonly startedAt: number;
  readonly durationMs: number;
  /** The start of the response's body, as text; null if there was none. */
  readonly answer: string | null;
}

/** One of the last attempts of a delivery. */
export interface AttemptRow extends AttemptResult {
  /** 1 for the first attempt ever; attempts before a redelivery count too. */
  readonly number: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** The result of an attempt. */
export interface AttemptNote {
  readonly number: number;
  readonly state: DeliveryState;
  readonly at: number;
  /** When the delivery is retried; null if it isn't. */
  readonly dueAt: number | null;
  readonly status: number | null;
  readonly error: string | null;
  /** Nothing is sent to the receiver before this time. */
  readonly throttledUntil?: number;
  /** Set if the receiver has unsubscribed: it stays disabled until its record has another revision. */
  readonly disabledRevision?: number;
  /**
   * The number of the claim under which it was made, if instances claim deliveries. Nothing is
   * stored if another instance has claimed it since.
   */
  readonly fence?: number;
}

/** All given conditions must hold. */
export interface DeliveryFilter {
  readonly id?: string;
  readonly eventId?: string;
  readonly receiver?: Omit<Receiver, "channel">;
  readonly state?: DeliveryState;
  readonly channel?: DeliveryChannel;
  /** Its last attempt failed: it was given up, or will be retried. */
  readonly hasFailed?: boolean;
  /** Created at this time or later, in milliseconds. */
  readonly from?: number;
  /** Created before this time. */
  readonly until?: number;
  /** Only deliveries with a smaller number: to read the next page, newest first. */
  readonly before?: number;
}

export interface ReopenedDeliveries {
  readonly count: number;
  /** The number of the last attempt; null if there was none. */
  readonly last: number | null;
}

/** The state of a receiver. */
export interface ReceiverRow extends Receiver {
  /** Its last attempt failed. */
  readonly isFailing: boolean;
  readonly isPaused: boolean;
  /** The revision of its record at which the receiver unsubscribed; null if it hasn't. */
  readonly disabledRevision: number | null;
  /** When the next attempt is due, and the time before which nothing is sent; null if nothing is pending. */
  readonly dueAt: number | null;
  /** Pending deliveries, counted up to a bound. */
  readonly open: number;
}

export interface ReceiverFilter {
  readonly channel?: DeliveryChannel;
  /** Failing, paused or disabled ones only. */
  readonly isFailing?: boolean;
  /** Only receivers after this one, in the order of channel, resource and row. */
  readonly after?: Receiver;
}

export interface DisabledReceiver extends Receiver {
  readonly revision: number;
}

/** Queries that need no transaction. */
export interface CommittedDeliveries {
  /** Receivers for which something is due, longest due first. */
  dueReceivers(now: number, isFailing: boolean, limit: number): Awaitable<readonly DueReceiver[]>;
  /** The due deliveries of one receiver, earliest first. */
  due(receiver: Receiver, now: number, limit: number): Awaitable<readonly DueDelivery[]>;
  /** When the next delivery is due after `now`; null if there is none. */
  nextDue(now: number): Awaitable<number | null>;
  /** Newest first. */
  list(filter: DeliveryFilter, limit: number): Awaitable<readonly DeliveryRow[]>;
  /** The number of deliveries, at most `most`. */
  count(filter: DeliveryFilter, most: number): Awaitable<number>;
  /** The number of open deliveries, counted along an index, so frequent polls are cheap. */
  countOpen(most: number): Awaitable<number>;
  /** The latest attempts of a delivery, newest first, at most `attemptsKept`. */
  attempts(number: number): Awaitable<readonly AttemptRow[]>;
  /** Receivers of pending and recent deliveries, and those that are paused or disabled. */
  receivers(filter: ReceiverFilter, limit: number): Awaitable<readonly ReceiverRow[]>;
  /** The state of a receiver; null if the store has none. */
  receiver(receiver: Receiver): Awaitable<ReceiverRow | null>;
  /** Receivers that have unsubscribed. */
  disabled(): Awaitable<readonly DisabledReceiver[]>;
}

export interface Deliveries extends CommittedDeliveries {
  /** Adds deliveries, which are due at once, or after the earlier ones of their queue. */
  add(deliveries: readonly NewDelivery[]): Awaitable<void>;
  /**
   * Stores the result of an attempt. When a delivery is finished, the next one of its queue is due.
   * A delivery that was given up during the attempt stays so, unless the attempt succeeded. Pending
   * deliveries to a receiver that unsubscribes are given up. Returns the result; null, without
   * storing anything, if the delivery was deleted or erased, or if another instance has claimed it
   * since.
   */
  noteAttempt(note: AttemptNote, result: AttemptResult): Awaitable<AttemptNote | null>;
  /** Gives up the pending deliveries of a receiver, at most `limit`; returns these. */
  giveUpPending(
    receiver: Receiver,
    at: number,
    error: string,
    limit: number,
  ): Awaitable<readonly DueDelivery[]>;
  /**
   * Reopens finished deliveries, from the earliest after a number and at most `limit`. They keep
   * their earlier attempts, and are due now or after the open ones of their queue. Deliveries that
   * are already open become due now.
   */
  reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Awaitable<ReopenedDeliveries>;
  /** Disables a receiver as long as its record has this revision. */
  disable(receiver: Omit<Receiver, "channel">, revision: number): Awaitable<void>;
  /** Enables a disabled receiver. */
  enable(receiver: Omit<Receiver, "channel">): Awaitable<void>;
  /** Pauses or resumes a receiver; its deliveries wait meanwhile. */
  setPaused(receiver: Omit<Receiver, "channel">, isPaused: boolean): Awaitable<void>;
  /** Deletes deliveries that finished before a time, at most `limit`; returns the rows of their records. */
  forget(endedBefore: number, limit: number): Awaitable<readonly (number | null)[]>;
  /**
   * Deletes events of the log after `sequence` that happened before `time`, at most `limit`, except
   * those with deliveries. Returns the last searched sequence; null if there is nothing older.
   */
  forgetEvents(sequence: number, time: string, limit: number): Awaitable<number | null>;
}
