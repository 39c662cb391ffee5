/**
 * Handler module: the author's code for a document (notation, "Handlers"), what the module exports
 * and what a handler receives. The command line loads the module; `actions/handler.ts` runs a
 * handler. Generated files never overwrite the module, and it runs only if the document names it.
 */
import type { Json } from "../support/json.ts";

/** The exports of `parcels.ts`, next to `parcels.md`. */
export interface HandlerModule {
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly functions?: Readonly<Record<string, (...args: never[]) => unknown>>;
}

/** A function that runs in the request's transaction, or one in two phases. */
export type Handler = ((given: Given) => unknown) | TwoPhaseHandler;

/**
 * A handler in two phases. `prepare` runs before the transaction and reads committed data. It may
 * await other services, because no write waits for it. `run` receives the result of `prepare` and
 * runs in the transaction, in which the engine repeats all checks.
 */
export interface TwoPhaseHandler {
  prepare(given: GivenToPrepare): unknown;
  run(given: Given): unknown;
}

/** The argument of `prepare`. */
export interface GivenToPrepare extends Omit<Given, "transaction" | "facts"> {
  /** Committed records. Other requests may change them at any time. */
  readonly committed: Pick<HandlerTransaction, "get" | "list">;
}

/**
 * The argument of a handler. Values are plain JSON data in wire format; timestamps have
 * milliseconds and are in UTC.
 */
export interface Given {
  /** The validated inputs by location. */
  readonly input: {
    readonly body: Plain;
    readonly query: Plain;
    readonly path: Plain;
    readonly headers: Plain;
  };
  readonly caller: Json;
  /** The records of the path, by their names in expressions. */
  readonly records: Readonly<Record<string, PlainRecord>>;
  readonly transaction: HandlerTransaction;
  /** The result of `prepare`; undefined for a handler without `prepare`. */
  readonly facts?: unknown;
  /** The time of the request. */
  readonly now: string;
  /** Unpredictable ASCII letters and digits. */
  random(length: number): string;
  /** Ends the request with an error code of part 7. */
  refuse(code: string, field?: string): never;
  /** Aborted when the handler times out. Pass it to `fetch` and similar functions. */
  readonly signal: AbortSignal;
}

export type Plain = Readonly<Record<string, Json>>;

/**
 * A record with its fields, computed fields included, without secrets. References are identifiers.
 */
export type PlainRecord = Plain;

/**
 * The request's transaction, under the document's rules. New records take defaults and are
 * validated; changes increment revisions and create events. A handler sees all records, as effects
 * do. A failed call ends the request, even if the handler catches the error.
 */
export interface HandlerTransaction {
  /** Returns the record of an identifier (an object if it has two fields), or null. */
  get(resource: string, identifier: Json): Promise<PlainRecord | null>;
  /**
   * Returns records whose fields equal those of `where`, in order of creation. Use `limit` and
   * `skip` for more than 1,000.
   */
  list(
    resource: string,
    options?: { readonly where?: Plain; readonly limit?: number; readonly skip?: number },
  ): Promise<readonly PlainRecord[]>;
  create(resource: string, values: Plain): Promise<PlainRecord>;
  /**
   * Changes fields of a record; null clears a field. The record is given by itself or by its
   * identifier. Returns the changed record.
   */
  update(resource: string, record: PlainRecord | Json, changes: Plain): Promise<PlainRecord>;
  remove(resource: string, record: PlainRecord | Json): Promise<void>;
  /** Fires a transition; the transition reads `body` as its `body`. */
  do(resource: string, record: PlainRecord | Json, transition: string, body?: Plain): Promise<PlainRecord>;
}

/**
 * Thrown by a handler to end the request with an error code of part 7. The engine recognizes it by
 * its name, so that several copies of this library work together.
 */
export class Refused extends Error {
  override name = "Refused";
  readonly code: string;
  readonly field: string | undefined;
  constructor(code: string, field?: string) {
    super(field === undefined ? code : `${code} (${field})`);
    this.code = code;
    this.field = field;
  }
}

export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && error.name === "Refused" && typeof (error as Refused).code === "string";
}

/**
 * A mistake in a handler or a function. The client receives an internal error; the text goes only
 * to the log.
 */
export class HandlerMistake extends Error {
  override name = "HandlerMistake";
}
