/** Bounds of what instances share. All are in the table of engine defaults. */
export const sharedLimits = {
  /** Time limit of a query, in milliseconds; then the caller gets an error that the result is unknown. */
  answerMs: 3_000,
  /** The same for the server, in milliseconds. */
  statementMs: 2_000,
  /** An instance without a heartbeat for so long counts as dead, in milliseconds. */
  leaseMs: 10_000,
  /** The interval of heartbeats, in milliseconds. */
  renewEveryMs: 2_000,
  /** Keys that rates have counted; of more, those go first that have soonest nothing left to count. */
  rateKeysMax: 1_000_000,
  /** How often they are looked over, in milliseconds. */
  sweepEveryMs: 60_000,
  /** A clock offset above this is reported, in milliseconds. */
  offMsMax: 5_000,
} as const;
