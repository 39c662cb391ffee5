/**
 * Stored deliveries: which events are still to be sent to which receivers, when, and the results of the attempts. The
 * transaction of a change inserts the rows for its event, so that what is sent is what was committed. The engine
 * sends them and interprets the responses.
 */
import type { Awaitable } from "../support/awaitable.ts";

/** The number of last attempts that are kept of one delivery. */
export const attemptsKept = 20;
/** The open deliveries of a receiver are counted up to this number. */
export const openCountedMax = 1_001;

/** The channel of a delivery. */
export type DeliveryChannel = "webhook" | "email";

/** A receiver of deliveries: a record of the document (its address is read again for each attempt). */
export interface Receiver {
  readonly channel: DeliveryChannel;
  readonly resource: string;
  readonly row: number;
}

export interface NewDelivery extends Receiver {
  /** Stays the same for all attempts. */
  readonly id: string;
  /** The event's sequence in the log. */
  readonly event: number;
  /** What the channel needs besides the event and the receiver, fixed when the event happened; null for most. */
  readonly content: string | null;
  /** Deliveries of one receiver with the same text here are made one after another; null where order doesn't matter. */
  readonly queue: string | null;
  readonly createdAt: number;
  /**
   * Of the receiver's record, as it is when the event happens: one that was disabled at this revision by another instance stays so, and gets
   * nothing. Left out where that can't be.
   */
  readonly revision?: number;
  /** The record that shows it to the document's callers, by its row; null where deliveries aren't kept as records. */
  readonly record: number | null;
}

/**
 * `open`: an attempt is pending; `done`: it was delivered; `dead`: it was given up, and waits to
 * be sent again or to be deleted.
 */
export type DeliveryState = "open" | "done" | "dead";

export interface DeliveryRow extends Omit<NewDelivery, "revision"> {
  readonly number: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due; null if there is none, or if it waits for an earlier one of its queue. */
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

/** The facts of an attempt besides its outcome. */
export interface AttemptResult {
  readonly startedAt: number;
  readonly durationMs: number;
  /** The start of the response's body, as text; null if there was none. */
  readonly answer: string | null;
}

/** One of the last attempts of a delivery. */
export interface AttemptRow extends AttemptResult {
  /** 1 for the first that was ever made of it: those before a redelivery count too. */
  readonly number: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** The result of an attempt. */
export interface AttemptNote {
  readonly number: number;
  readonly state: DeliveryState;
  readonly at: number;
  /** When it is retried; null if it isn't. */
  readonly dueAt: number | null;
  readonly status: number | null;
  readonly error: string | null;
  /** Nothing is sent to the receiver before this time. */
  readonly throttledUntil?: number;
  /** The receiver has unsubscribed, until its record has another revision. */
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
  /** The revision at which its record has answered that it wants nothing any more; null where it hasn't. */
  readonly disabledRevision: number | null;
  /** When the next attempt is due, and before what time nothing is sent; null where there is nothing to be sent. */
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
  /** When the next one is due after `now`; null if there is none. */
  nextDue(now: number): Awaitable<number | null>;
  /** Newest first. */
  list(filter: DeliveryFilter, limit: number): Awaitable<readonly DeliveryRow[]>;
  /** The number of deliveries, at most `most`. */
  count(filter: DeliveryFilter, most: number): Awaitable<number>;
  /** The number of open deliveries, counted along an index, so frequent polls are cheap. */
  countOpen(most: number): Awaitable<number>;
  /** The last attempts of one, newest first: no more than the store keeps (`attemptsKept`). */
  attempts(number: number): Awaitable<readonly AttemptRow[]>;
  /** Receivers of pending and recent deliveries, and those that are paused or disabled. */
  receivers(filter: ReceiverFilter, limit: number): Awaitable<readonly ReceiverRow[]>;
  /** One receiver; null if nothing is known of it. */
  receiver(receiver: Receiver): Awaitable<ReceiverRow | null>;
  /** Receivers that want no more deliveries. */
  disabled(): Awaitable<readonly DisabledReceiver[]>;
}

export interface Deliveries extends CommittedDeliveries {
  /** Adds deliveries: due at once, or when the earlier ones of their queue are finished. */
  add(deliveries: readonly NewDelivery[]): Awaitable<void>;
  /**
   * The next one of its queue is due when this one is finished. If it was given up during the
   * attempt, it stays so, unless it was delivered. A receiver that wants no more deliveries gets
   * none that were created before. Returns the result; null if the delivery was deleted or erased,
   * or was claimed by another instance since: then nothing is stored.
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
   * Finished deliveries are open again, from the earliest after a number and at most `limit`, and
   * keep their earlier attempts. They are due now, or when the open ones of their queue are
   * finished. Open ones are due now, too.
   */
  reopen(filter: DeliveryFilter, after: number, now: number, limit: number): Awaitable<ReopenedDeliveries>;
  /** Disables a receiver until its record has another revision than this. */
  disable(receiver: Omit<Receiver, "channel">, revision: number): Awaitable<void>;
  /** Enables a disabled receiver. */
  enable(receiver: Omit<Receiver, "channel">): Awaitable<void>;
  /** Pauses or resumes a receiver; its deliveries wait meanwhile. */
  setPaused(receiver: Omit<Receiver, "channel">, isPaused: boolean): Awaitable<void>;
  /**
   * Deletes deliveries that finished before a time, at most `limit`; returns the rows of their
   * records.
   */
  forget(endedBefore: number, limit: number): Awaitable<readonly (number | null)[]>;
  /**
   * Deletes events of the log after `sequence` that happened before `time`, at most `limit`,
   * except those with deliveries. Returns how far it has searched; null when there is nothing
   * older.
   */
  forgetEvents(sequence: number, time: string, limit: number): Awaitable<number | null>;
}
