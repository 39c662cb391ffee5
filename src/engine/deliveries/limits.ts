/**
 * Limits and defaults of deliveries, for what a document doesn't state. All are in the table of
 * engine defaults.
 */
export const standardRetries = {
  /** Part 6, `Retries`. The schedule of Standard Webhooks: pauses after each failed attempt, in milliseconds; 75 hours and 35 minutes in all. */
  pausesMs: [
    5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ],
  /** Part 6, `with jitter`. Up to this part of a pause is added to it by chance, so that what failed together doesn't come back together. */
  jitter: 0.1,
} as const;

export const deliveryDefaults = {
  /** Part 6, `Time-out`. For one attempt, from resolving the name to the end of the answer, in milliseconds. */
  timeoutMs: 15_000,
  /** Part 6, `Deliveries: kept`. How long a finished delivery is kept, in milliseconds. */
  keptMs: 2_592_000_000,
  /** Part 6, `Log: kept`. How long an event is kept, in milliseconds. */
  logKeptMs: 2_592_000_000,
} as const;

export const senderLimits = {
  /** Maximum concurrent attempts. */
  underWayMax: 256,
  /** Of these, attempts to receivers whose last one failed: dead receivers never take all places. */
  failingUnderWayMax: 128,
  /**
   * Maximum concurrent attempts to one receiver, and so its share of all slots. A receiver whose
   * last attempt failed gets one.
   */
  perReceiverMax: 4,
  /** Longest pause that a receiver's `Retry-After` is granted, in milliseconds. */
  retryAfterMsMax: 86_400_000,
  /**
   * An overloaded receiver (429, 502, 504) that names no time is paused for the delivery's pause,
   * at most so long, in milliseconds.
   */
  throttleMsMax: 300_000,
  /** Most of an answer that is read, in bytes; the connection is closed then. */
  answerBytesMax: 64 * 1024,
  /** How much of the start of a response is kept with its attempt, in bytes. */
  answerKeptBytes: 4 * 1024,
  /** Maximum length of a stored failure reason, in characters. */
  errorLengthMax: 500,
  /** Part 6, `Headers`. Headers that one map of the data may bring to a request. */
  givenHeadersMax: 50,
  /** Maximum number of deliveries in one `list`. */
  listMax: 1_000,
  /** Deliveries that are sent again in one transaction. */
  reopenedAtOnce: 500,
  /** The pause of all attempts after a failed write to the store, in milliseconds. */
  failureMs: 10_000,
  /**
   * If instances share a store, a claim is valid for an attempt's time-out and this margin, in
   * milliseconds.
   */
  leaseBeyondMs: 10_000,
  /**
   * The interval of the search for deliveries that wait for an attempt in progress, or were left
   * for other instances, in milliseconds.
   */
  leftEveryMs: 2_000,
  /** How long attempts under way may take to finish when the service stops, in milliseconds. */
  drainMs: 3_000,
  /** The log and the deliveries are looked over for what is too old so often, in milliseconds. */
  trimEveryMs: 600_000,
  /** Events or deliveries forgotten in one transaction. */
  trimmedAtOnce: 500,
} as const;
