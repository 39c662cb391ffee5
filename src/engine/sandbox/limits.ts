/** Sandbox limits: ceilings of the operator. A document can't change them. */
export const sandboxLimits = {
  /** Maximum number of open data spaces, without `--spaces-max`. */
  spacesMax: 100,
  spaceNameMax: 64,
  /** Maximum number of remembered names of data spaces that were evicted or removed. */
  namesRememberedMax: 10_000,
  /** Maximum number of snapshots of one data space. */
  snapshotsMax: 50,
  /** Maximum bytes of all snapshots of all data spaces. */
  snapshotBytesMax: 256 * 1024 * 1024,
  /** Maximum number of faults on demand of one data space. */
  faultsMax: 100,
  /** Maximum delay of a fault, and how long it lets a request hang, in milliseconds. */
  faultDelayMsMax: 600_000,
  /**
   * How long a webhook waits for the next webhook if a fault reverses their order, in milliseconds.
   */
  faultOvertakenMs: 5000,
  /** Maximum number of names of `as` that a data space remembers. */
  namesMax: 1000,
  /**
   * Maximum number of passwords of seeds whose hashes are remembered for the next data space; twice
   * as many for a while.
   */
  passwordsRememberedMax: 1000,
  /** How long a reset or a restore waits for requests in progress, in milliseconds. */
  drainMs: 5000,
  /**
   * How long a move of the clock waits for requests, in milliseconds; a held response (`Waits`) may
   * wait for that very move.
   */
  moveDrainMs: 1000,
  /**
   * Maximum duration of one move of the clock, in milliseconds; a repeated request continues it.
   */
  moveMs: 30_000,
  /** Maximum size of a body of the operations API, in bytes. */
  bodyBytesMax: 1024 * 1024,
  /** Maximum size of a request to be tried, with its files in base64, in bytes. */
  trialBytesMax: 16 * 1024 * 1024,
  /** Maximum page size of lists of the operations API. */
  pageMax: 1000,
} as const;
