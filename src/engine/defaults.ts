/**
 * Engine defaults: bounds and behaviour for what a document leaves open. Each names the part of the
 * document that can override it (docs/engine-defaults.md). Every output that includes one marks it
 * "engine default, not part of the contract".
 */
import { changesMax } from "../store/changes-max.ts";

export const engineDefaults = {
  /** Part 8, `page`. Records on a page if the request does not state a size. */
  pageSize: 50,
  /** Part 8, `page`. Most records on a page; a larger size is rejected. */
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
  /** Part 4, `Idempotency`. How long an answer is stored, in milliseconds. */
  idempotencyMs: 86_400_000,
  /**
   * Part 8, `time-out`, may lower it. How long a handler may run, in milliseconds: all other writes
   * wait for it.
   */
  handlerMs: 5_000,
  /** How long `run` of a handler with `prepare` may run, in milliseconds. No part overrides it. */
  handlerRunMs: 1_000,
  /** Most records that one `list` call of a handler returns. No part overrides it. */
  handlerListMax: 1_000,
} as const;

/**
 * Bounds on chains of transitions. A chain beyond these bounds is treated as endless, and fails.
 */
export const recursionBounds = {
  /** Deepest nesting of transitions that start each other by `do`. */
  depthMax: 1_000,
  /** How often one record may fire one `immediately` transition in a transaction. */
  timesMax: 100,
  /**
   * How often a transaction's changes are scanned for `immediately` transitions: the longest chain
   * of records.
   */
  roundsMax: 1_000,
  /** Longest chain of timed transitions that follow from each other at the same moment. */
  atOneMomentMax: 50,
} as const;

/** The operator's ceilings, which no document can raise. */
export const operatorCeilings = {
  pageSizeMax: 10_000,
  bodyBytesMax: 64 * 1024 * 1024,
  /** First line and headers together, in bytes. */
  headBytesMax: 64 * 1024,
  timeoutMs: 600_000,
  /** Longest idempotency key, in characters. */
  idempotencyKeyMax: 255,
  /**
   * Longest lifetime of a token from another issuer, in milliseconds; `Lifetime` (part 5) may lower
   * it.
   */
  tokenLifetimeMs: 10 * 366 * 86_400_000,
  /** Longest accepted credential, in characters. */
  credentialMax: 8192,
  /** Transitions, effects and records that one request may touch. */
  changesMax,
} as const;

/** The data space of requests that name none, and the only one of a service without data spaces. */
export const defaultSpace = "default";
