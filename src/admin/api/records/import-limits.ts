/** Import limits for staged imports, shared by the server and its clients. */
export const importLimits = {
  /** The total size of all imports in progress, in bytes. */
  stagedBytesMax: 256 * 1024 * 1024,
  /** The maximum number of open imports. */
  openMax: 8,
  /** An import without a request for this time is discarded, in milliseconds. */
  idleMs: 10 * 60_000,
  /** The maximum number of records in a file that one request sends. */
  fileLinesMax: 10_000,
  /** The maximum number of lines in one piece. */
  pieceLinesMax: 1_000,
} as const;
