/**
 * Limits and defaults of deliveries that a document doesn't state. The table of engine defaults
 * lists all of them.
 */
export const standardRetries = {
  /**
   * Part 6, `Retries`. The schedule of Standard Webhooks: pauses after each failed attempt, in
   * milliseconds; 75 hours and 35 minutes in total.
   */
  pausesMs: [
    5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ],
  /**
   * Part 6, `with jitter`. Maximum part of a pause that is added at random, so that deliveries that
   * failed together are not retried together.
   */
  jitter: 0.1,
} as const;

export const deliveryDefaults = {
  /**
   * Part 6, `Time-out`. Maximum duration of one attempt, from resolving the name to the end of the
   * response, in milliseconds.
   */
  timeoutMs: 15_000,
  /** Part 6, `Deliveries: kept`. How long a finished delivery is kept, in milliseconds. */
  keptMs: 2_592_000_000,
  /** Part 6, `Log: kept`. How long an event is kept, in milliseconds. */
  logKeptMs: 2_592_000_000,
} as const;

export const senderLimits = {
  /** Maximum concurrent attempts. */
  underWayMax: 256,
  /**
   * Maximum concurrent attempts to receivers whose last attempt failed: dead receivers never use
   * all slots.
   */
  failingUnderWayMax: 128,
  /**
   * Maximum concurrent attempts to one receiver, and so its share of all slots. A receiver whose
   * last attempt failed has one slot.
   */
  perReceiverMax: 4,
  /** Maximum pause that a receiver's `Retry-After` can request, in milliseconds. */
  retryAfterMsMax: 86_400_000,
  /**
   * Maximum pause of an overloaded receiver (429, 502, 504) that states no time, in milliseconds.
   * Otherwise the delivery's own pause applies.
   */
  throttleMsMax: 300_000,
  /** Maximum bytes of a response that are read; the connection is closed then. */
  answerBytesMax: 64 * 1024,
  /** Maximum bytes of a response that are stored with its attempt. */
  answerKeptBytes: 4 * 1024,
  /** Maximum length of a stored failure reason, in characters. */
  errorLengthMax: 500,
  /** Part 6, `Headers`. Maximum number of headers that a map of data may add to a request. */
  givenHeadersMax: 50,
  /** Maximum number of deliveries in one `list`. */
  listMax: 1_000,
  /** Maximum number of deliveries that are sent again in one transaction. */
  reopenedAtOnce: 500,
  /** The pause of all attempts after a failed write to the store, in milliseconds. */
  failureMs: 10_000,
  /**
   * If instances share a store, a claim is valid for an attempt's time-out and this margin, in
   * milliseconds.
   */
  leaseBeyondMs: 10_000,
  /**
   * Interval of the search for deliveries that wait for an attempt in progress, or were left for
   * other instances, in milliseconds.
   */
  leftEveryMs: 2_000,
  /** How long attempts in progress may take to finish when the service stops, in milliseconds. */
  drainMs: 3_000,
  /** Interval at which old events and deliveries are deleted, in milliseconds. */
  trimEveryMs: 600_000,
  /** Maximum number of events or deliveries that are deleted in one transaction. */
  trimmedAtOnce: 500,
} as const;
