/** Limits of state that instances share. The table of engine defaults lists all of them. */
export const sharedLimits = {
  /**
   * Time limit of a query, in milliseconds. After it, the caller receives an error, and the result
   * is unknown.
   */
  answerMs: 3_000,
  /** The statement timeout of the server, in milliseconds. */
  statementMs: 2_000,
  /** An instance without a heartbeat for this time counts as dead, in milliseconds. */
  leaseMs: 10_000,
  /** The interval of heartbeats, in milliseconds. */
  renewEveryMs: 2_000,
  /**
   * The maximum number of rate counters. Above it, those are deleted first whose limits reset
   * soonest.
   */
  rateKeysMax: 1_000_000,
  /** The interval in which unused rows are deleted, in milliseconds. */
  sweepEveryMs: 60_000,
  /** A clock offset above this is reported, in milliseconds. */
  offMsMax: 5_000,
} as const;
