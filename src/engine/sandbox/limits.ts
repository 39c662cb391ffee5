/** What a sandbox holds at most. Ceilings of the operator: no document speaks of them. */
export const sandboxLimits = {
  /** Maximum number of open data spaces, without `--spaces-max`. */
  spacesMax: 100,
  spaceNameMax: 64,
  /** Names of data spaces that had to make room, or were removed, and are remembered as such. */
  namesRememberedMax: 10_000,
  /** Snapshots of one data space. */
  snapshotsMax: 50,
  /** Of all snapshots of all data spaces together. */
  snapshotBytesMax: 256 * 1024 * 1024,
  /** Faults on demand of one data space. */
  faultsMax: 100,
  /** Longest delay of a fault, and how long it lets a request hang. */
  faultDelayMsMax: 600_000,
  /** How long a webhook waits for the next one, if a fault reverses their order. */
  faultOvertakenMs: 5000,
  /** Names that a data space remembers of `as`. */
  namesMax: 1000,
  /** Passwords of seeds whose hashes are remembered for the next data space, twice as many for a while. */
  passwordsRememberedMax: 1000,
  /** How long a reset or a restore waits for the requests that are under way. */
  drainMs: 5000,
  /**
   * How long a move of the clock waits for requests; a held response (`Waits`) may wait for that
   * very move.
   */
  moveDrainMs: 1000,
  /** How long one move of the clock may take; a repeated request continues it. */
  moveMs: 30_000,
  /** A body that the operations API takes. */
  bodyBytesMax: 1024 * 1024,
  /** The same of a request to be tried, with its files in base64. */
  trialBytesMax: 16 * 1024 * 1024,
  /** Page size of lists of the operations API. */
  pageMax: 1000,
} as const;
