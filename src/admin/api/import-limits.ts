/** Import limits for staged imports, shared by the server and its clients. */
export const importLimits = {
  /** For all imports in progress together. */
  stagedBytesMax: 256 * 1024 * 1024,
  /** That are open at the same time. */
  openMax: 8,
  /** An import without a request for so long is discarded. */
  idleMs: 10 * 60_000,
  /** Records of a file that is sent in one request. */
  fileLinesMax: 10_000,
  /** Lines of one piece. */
  pieceLinesMax: 1_000,
} as const;
