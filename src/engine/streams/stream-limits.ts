/**
 * What streams of events and held answers have at most. Engine defaults; `docs/engine-defaults.md`
 * lists them.
 */
export const streamLimits = {
  /** Streams of one service at the same time; further ones receive 503 with `Retry-After`. */
  streamsMax: 10_000,
  /**
   * How often a stream without events sends a keep-alive, in milliseconds; the caller's credential
   * is checked again as often.
   */
  heartbeatMs: 15_000,
  /** The retry interval of a disconnected client, in milliseconds. */
  retryMs: 2000,
  /** Events of the log that all streams share in memory. */
  recentMax: 1024,
  /** Their size, in bytes. */
  recentBytesMax: 4 * 1024 * 1024,
  /** Events that one stream examines before others run. */
  batchMax: 64,
  /** Streams that are woken in one turn of the event loop, and that are at work at a time. */
  streamsPerTurn: 200,
  /**
   * A stream hands over no more than this at once, in bytes, and one event; the next when that has
   * left.
   */
  chunkBytesMax: 64 * 1024,
} as const;

export const waitLimits = {
  /** Maximum number of held responses of one service; a further one is sent as it is. */
  heldMax: 1000,
} as const;
