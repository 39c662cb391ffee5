/** Bounds and habits of deliveries, for what a document leaves open. All stand in the table of engine defaults. */
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
  /** Part 6, `Deliveries: kept`. How long a delivery is kept that has arrived or was given up, in milliseconds. */
  keptMs: 2_592_000_000,
  /** Part 6, `Log: kept`. How long an event is kept, in milliseconds. */
  logKeptMs: 2_592_000_000,
} as const;

export const senderLimits = {
  /** Attempts under way at once. */
  underWayMax: 256,
  /** Of these, attempts to receivers whose last one failed: dead receivers never take all places. */
  failingUnderWayMax: 128,
  /** Attempts under way to one receiver, and so the most that one takes of all places. One whose last attempt failed gets one at a time. */
  perReceiverMax: 4,
  /** Longest pause that a receiver's `Retry-After` is granted, in milliseconds. */
  retryAfterMsMax: 86_400_000,
  /** A receiver that is overloaded (429, 502, 504) and names no time is left alone for the delivery's pause, at most so long, in milliseconds. */
  throttleMsMax: 300_000,
  /** Most of an answer that is read, in bytes; the connection is closed then. */
  answerBytesMax: 64 * 1024,
  /** So much of how an answer begins is kept with its attempt, in bytes. */
  answerKeptBytes: 4 * 1024,
  /** Longest reason of a failure that is kept, in characters. */
  errorLengthMax: 500,
  /** Part 6, `Headers`. Headers that one map of the data may bring to a request. */
  givenHeadersMax: 50,
  /** Deliveries that one `list` gives. */
  listMax: 1_000,
  /** Deliveries that are sent again in one transaction. */
  reopenedAtOnce: 500,
  /** After the store could not be written, so long nothing is attempted, in milliseconds. */
  failureMs: 10_000,
  /** Where instances claim what they attempt, a claim is good for an attempt's time-out and so much more, in milliseconds. */
  leaseBeyondMs: 10_000,
  /** What comes due behind an attempt under way, or was left for other instances, is looked for so often, in milliseconds. */
  leftEveryMs: 2_000,
  /** How long attempts under way may take to finish when the service stops, in milliseconds. */
  drainMs: 3_000,
  /** The log and the deliveries are looked over for what is too old so often, in milliseconds. */
  trimEveryMs: 600_000,
  /** Events or deliveries forgotten in one transaction. */
  trimmedAtOnce: 500,
} as const;
