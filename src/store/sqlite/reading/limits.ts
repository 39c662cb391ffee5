/** Limits of read statements: how long they may run, and how many run in parallel. */
export const readLimits = {
  /**
   * Time limit of one read statement, in milliseconds. The database then stops it with
   * `StatementTimedOut`.
   */
  statementMs: 5_000,
  /** The same inside a write, for which all other writes wait. */
  statementInWriteMs: 2_000,
  /**
   * Time limit of one statement on the thread that serves requests, in milliseconds. It then stops
   * there, and restarts on another thread. All statements of one tick of the event loop share this
   * limit.
   */
  hereMs: 5,
  /**
   * A statement may read this many rows regardless of its time, because on a busy machine elapsed
   * time means little.
   */
  hereRows: 512,
  /**
   * The maximum number of rows of a small read. If earlier reads of the tick took long, a small
   * read waits for the next tick, and not for a thread.
   */
  smallRows: 64,
  /**
   * A statement that exceeded the limit goes directly to another thread for this multiple of its
   * duration.
   */
  elsewhereFactor: 200,
  /**
   * The maximum number of reader threads. At least two, so that one statement can't occupy all of
   * them.
   */
  threadsMax: 4,
  /**
   * Size limit of the write-ahead log during such reads, in bytes. Above it, the next read waits
   * for the running ones, and the log is copied into the file.
   */
  logBytesMax: 64 * 1024 * 1024,
  /**
   * The maximum number of statements that wait for a thread. Further ones fail with a retryable
   * error.
   */
  waitingMax: 1_000,
} as const;
