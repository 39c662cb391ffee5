/**
 * The engine's own bounds and habits, for what a document leaves open: one table, each with the place where the document can say
 * otherwise (docs/engine-defaults.md). Every output that shows one of them marks it "engine default, not part of the contract".
 */
import { changesMax } from "../store/changes-max.ts";

export const engineDefaults = {
  /** Part 8, `page`. Records on a page when a request doesn't ask. */
  pageSize: 50,
  /** Part 8, `page`. Most records on a page; more is refused. */
  pageSizeMax: 200,
  /** Part 8, `body`. Longest body taken, in bytes. */
  bodyBytesMax: 1024 * 1024,
  /** Part 8, `time-out`. How long a request may take, in milliseconds. */
  timeoutMs: 30_000,
  /** Part 8, `url`. Longest request target, in bytes. */
  urlBytesMax: 8 * 1024,
  /** Part 8, `headers`. Longest header block, in bytes. */
  headerBytesMax: 16 * 1024,
  /** Part 5, `Lifetime`. How long a token lives, in milliseconds. */
  tokenLifetimeMs: 86_400_000,
  /** Part 4, `Idempotency`. How long an answer is kept, in milliseconds. */
  idempotencyMs: 86_400_000,
  /** Part 8, `time-out`, may make it less. How long a handler may take, in milliseconds: all other writes wait for it. */
  handlerMs: 5_000,
  /** Most records that a handler is given by one `list`. No part says otherwise. */
  handlerListMax: 1_000,
} as const;

/** Where transitions bring about transitions, what is further than people's machines go is a circle without an end, and fails. */
export const recursionBounds = {
  /** How deep they may start each other by `do`. */
  depthMax: 1_000,
  /** How often one record may take one of them `immediately` in a transaction. */
  timesMax: 100,
  /** How often all that a transaction has changed is looked through for what is taken `immediately`: how long a chain of records may be. */
  roundsMax: 1_000,
  /** How many that time brings about may come out of each other at one moment. */
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
  /** How long a token that others have signed may be good at most, in milliseconds; `Lifetime` (part 5) may make it less. */
  tokenLifetimeMs: 10 * 366 * 86_400_000,
  /** Longest credential taken, in characters. */
  credentialMax: 8192,
  /** Transitions, effects and records that one request may touch. */
  changesMax,
} as const;

/** The data space of requests that name none, and the only one of a service that is no sandbox. */
export const defaultSpace = "default";
