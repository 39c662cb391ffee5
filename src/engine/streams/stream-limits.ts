/**
 * Stream limits: bounds of event streams and held responses. They are engine defaults, which
 * `docs/engine-defaults.md` lists.
 */
export const streamLimits = {
  /**
   * Largest number of open streams of one service. A further request receives 503 with
   * `Retry-After`.
   */
  streamsMax: 10_000,
  /**
   * Interval at which a stream without events sends a keep-alive and checks the caller's credential
   * again, in milliseconds.
   */
  heartbeatMs: 15_000,
  /** Time after which a disconnected client reconnects, in milliseconds. */
  retryMs: 2000,
  /** Largest number of log events that the streams share in memory. */
  recentMax: 1024,
  /** Largest size of these events in memory, in bytes. */
  recentBytesMax: 4 * 1024 * 1024,
  /** Number of events that one stream examines before others run. */
  batchMax: 64,
  /**
   * Largest number of streams that are woken in one tick of the event loop, and that run at the
   * same time.
   */
  streamsPerTurn: 200,
  /**
   * Size after which a chunk of a stream ends with the present event, in bytes. The next chunk
   * follows when the last was sent.
   */
  chunkBytesMax: 64 * 1024,
} as const;

export const waitLimits = {
  /**
   * Largest number of held responses of one service. A further response is sent at once in its
   * present state.
   */
  heldMax: 1000,
} as const;
