/** Limits of read statements: how long they may run, and how many run in parallel. */
export const readLimits = {
  /** Time limit of one read statement, in milliseconds; then the database stops it with `StatementTimedOut`. */
  statementMs: 5_000,
  /** The same inside of a write, where everything waits for it. */
  statementInWriteMs: 2_000,
  /**
   * Time limit of one statement on the thread that serves requests, in milliseconds; then it stops there and restarts
   * on another thread. All statements of one tick of the event loop share the same limit.
   */
  hereMs: 5,
  /** A statement that has read fewer rows continues in any case: on a busy machine the clock says little. */
  hereRows: 512,
  /**
   * A read that examines few rows waits for the next tick if another one has taken long already,
   * and not for a thread.
   */
  smallRows: 64,
  /** A statement that exceeded the limit goes directly to another thread for this multiple of its duration. */
  elsewhereFactor: 200,
  /** Most threads that read, whatever the machine; at least two, so that one statement can't have all of them. */
  threadsMax: 4,
  /**
   * Size limit of the write-ahead log during such reads, in bytes: beyond it the next read waits for the running
   * ones, and the log is folded.
   */
  logBytesMax: 64 * 1024 * 1024,
  /** Maximum number of statements that wait for a thread; more get a retryable error. */
  waitingMax: 1_000,
} as const;
