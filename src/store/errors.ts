/**
 * Errors of a store as a whole. `Conflict`, a constraint that one change would violate, is in
 * `store.ts`.
 */
import { RefusedError, UnavailableError } from "../support/ninefold-error.ts";

/**
 * The change isn't stored, as far as is known, for an external reason: a full or failing disk, or a
 * closed store.
 */
export class StoreUnavailable extends UnavailableError {
  override name = "StoreUnavailable";
  /**
   * Whether a retry may succeed, because the store checks again each time. If false, the store must
   * be reopened.
   */
  readonly retryable: boolean;
  /**
   * False if the change may be stored nevertheless, because the database was lost before it
   * confirmed.
   */
  readonly isKnown: boolean;
  constructor(
    message: string,
    options: { readonly retryable: boolean; readonly isKnown?: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.isKnown = options.isKnown ?? true;
  }
}

/**
 * A write exceeded its time limit, which bounds the wait of all other writes. Nothing of it is
 * stored.
 */
export class WriteTimedOut extends UnavailableError {
  override name = "WriteTimedOut";
  constructor(limitMs: number) {
    super(`The write took longer than ${limitMs} ms and was rolled back.`);
  }
}

/** A statement exceeded its time limit, and was ended inside the database. */
export class StatementTimedOut extends UnavailableError {
  override name = "StatementTimedOut";
  constructor(limitMs: number) {
    super(`A statement took longer than ${limitMs} ms and was cancelled.`);
  }
}

/** One delete would change more records than one write may. */
export class TooManyChanges extends RefusedError {
  override name = "TooManyChanges";
  constructor(resource: string, bound: number) {
    super(`Deleting this ${resource} would change more than ${bound} records.`);
  }
}

/**
 * The store can't be opened: another process has it, it isn't a store, or it belongs to another
 * document.
 */
export class StoreRefused extends UnavailableError {
  override name = "StoreRefused";
  /** What to do about it, in one sentence. */
  readonly hint: string;
  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }

  /** The reason is that another process has the store. */
  get isInUse(): boolean {
    return this.cause instanceof StoreRefused && this.cause.isInUse;
  }
}

/** Another process has the store. */
export class StoreInUse extends StoreRefused {
  override name = "StoreInUse";
  override get isInUse(): boolean {
    return true;
  }
}

/**
 * The store was created with another version of the document, and its data doesn't fit the new one.
 */
export class StoreMismatch extends RefusedError {
  override name = "StoreMismatch";
  /** The losses, which are accepted only with a confirmation. */
  readonly losses: readonly string[];
  /** Problems that no confirmation can resolve: the document or the data must change. */
  readonly obstacles: readonly string[];
  /** Lines for part 9 of the document that would convert the data instead. */
  readonly paste: readonly string[];
  /** What to do about it, in one sentence; absent if the document or the data has to change. */
  readonly hint: string | undefined;
  /** Whether a backup of the old store is kept if losses are confirmed. */
  readonly copiesFirst: boolean;
  constructor(
    path: string,
    losses: readonly string[],
    obstacles: readonly string[],
    {
      paste = [],
      hint,
      copiesFirst = true,
    }: { readonly paste?: readonly string[]; readonly hint?: string; readonly copiesFirst?: boolean } = {},
  ) {
    super(describe(path, losses, obstacles));
    this.hint = hint;
    this.copiesFirst = copiesFirst;
    this.losses = losses;
    this.obstacles = obstacles;
    this.paste = paste;
  }
}

function describe(path: string, losses: readonly string[], obstacles: readonly string[]): string {
  const lines = [`The data in ${path} doesn't fit this document. Nothing was changed.`];
  if (obstacles.length > 0) lines.push("Can't be done:", ...obstacles.map((line) => `  - ${line}`));
  if (losses.length > 0) lines.push("Would be lost:", ...losses.map((line) => `  - ${line}`));
  return lines.join("\n");
}

/** The statement of an expression exceeds a maximum. */
export class StatementTooLarge extends Error {
  override name = "StatementTooLarge";
  constructor(length: number, parameters: number) {
    super(
      `an expression became a statement of ${length} characters with ${parameters} parameters, more than can be run`,
    );
  }
}
