/** Bounds of imports that are staged: whoever sends them goes by the same. */
export const importLimits = {
  /** Of all that wait to be stored, together. */
  stagedBytesMax: 256 * 1024 * 1024,
  /** That are open at the same time. */
  openMax: 8,
  /** One that nobody has asked about for so long is given up. */
  idleMs: 10 * 60_000,
  /** Lines of one piece. */
  pieceLinesMax: 1_000,
} as const;
