/**
 * Engine defaults: bounds and behaviour that apply where a document leaves them open. Each names
 * the part of the document that can override it (docs/engine-defaults.md). Every output that
 * includes a default marks it "engine default, not part of the contract".
 */
import { changesMax } from "../store/changes-max.ts";

export const engineDefaults = {
  /** Part 8, `page`. Number of records on a page if the request does not state a size. */
  pageSize: 50,
  /** Part 8, `page`. Largest number of records on a page. The service rejects a larger size. */
  pageSizeMax: 200,
  /** Part 8, `body`. Longest accepted body, in bytes. */
  bodyBytesMax: 1024 * 1024,
  /** Part 8, `time-out`. How long a request may take, in milliseconds. */
  timeoutMs: 30_000,
  /** Part 8, `url`. Longest request target, in bytes. */
  urlBytesMax: 8 * 1024,
  /** Part 8, `headers`. Longest header block, in bytes. */
  headerBytesMax: 16 * 1024,
  /** Part 5, `Lifetime`. How long a token lives, in milliseconds. */
  tokenLifetimeMs: 86_400_000,
  /**
   * Part 4, `Idempotency`. How long the service keeps a response for a repeated request, in
   * milliseconds.
   */
  idempotencyMs: 86_400_000,
  /**
   * Part 8, `time-out`, may lower it. How long a handler may run, in milliseconds. All other writes
   * wait for the handler.
   */
  handlerMs: 5_000,
  /**
   * How long `run` of a handler with `prepare` may run, in milliseconds. No part overrides this.
   */
  handlerRunMs: 1_000,
  /**
   * Largest number of records that one `list` call of a handler returns. No part overrides this.
   */
  handlerListMax: 1_000,
} as const;

/**
 * Bounds on chains of transitions. The engine treats a longer chain as endless, and fails the
 * request.
 */
export const recursionBounds = {
  /** Deepest nesting of transitions that start one another by `do`. */
  depthMax: 1_000,
  /** How often one record may fire one `immediately` transition in a transaction. */
  timesMax: 100,
  /**
   * How often the engine scans a transaction's changes for `immediately` transitions. It bounds the
   * longest chain of records.
   */
  roundsMax: 1_000,
  /** Longest chain of timed transitions that are due one after another at the same moment. */
  atOneMomentMax: 50,
} as const;

/** The operator's ceilings. No document can raise them. */
export const operatorCeilings = {
  pageSizeMax: 10_000,
  bodyBytesMax: 64 * 1024 * 1024,
  /** Longest first line and headers together, in bytes. */
  headBytesMax: 64 * 1024,
  timeoutMs: 600_000,
  /** Longest accepted idempotency key, in characters. */
  idempotencyKeyMax: 255,
  /**
   * Longest lifetime of a token from another issuer, in milliseconds; `Lifetime` (part 5) may lower
   * it.
   */
  tokenLifetimeMs: 10 * 366 * 86_400_000,
  /** Longest accepted credential, in characters. */
  credentialMax: 8192,
  /** Largest number of transitions, effects and records in one request. */
  changesMax,
} as const;

/**
 * The data space of a request that names no space. A service without data spaces has only this one.
 */
export const defaultSpace = "default";
