/** How long statements may take, and how many are run beside each other. */
export const readLimits = {
  /** How long one statement that reads may take, in milliseconds; then it is ended inside of the database, and told `StatementTimedOut`. */
  statementMs: 5_000,
  /** The same inside of a write, where everything waits for it. */
  statementInWriteMs: 2_000,
  /**
   * How long one may take on the thread that answers requests, in milliseconds, before it is ended there and begun again on another one;
   * and how long all of one turn of the event loop may.
   */
  hereMs: 5,
  /** What has looked at fewer rows goes on there whatever the clock says: on a busy machine that tells little. */
  hereRows: 512,
  /** What looks at no more rows waits for the next turn, where one has taken long already, and not for another thread. */
  smallRows: 64,
  /** For so many times of what it took, a statement that took longer is begun on another thread at once. */
  elsewhereFactor: 200,
  /** Most threads that read, whatever the machine; at least two, so that one statement can't have all of them. */
  threadsMax: 4,
  /** What the write-ahead log may grow to beside such reads, in bytes: then the next waits for those under way, and the log is folded. */
  logBytesMax: 64 * 1024 * 1024,
  /** Most statements that wait for a thread; further ones are told to come back. */
  waitingMax: 1_000,
} as const;
