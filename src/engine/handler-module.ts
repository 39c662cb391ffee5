/**
 * Handlers module: the author's code for a document (notation, "Handlers"), what it exports and
 * what a handler receives. The command line loads the module; `actions/handler.ts` runs a handler.
 * Generated files never overwrite it, and it runs only if the document names it.
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
 * A handler in two phases. `prepare` may await other services, because no write waits for it: it runs before the transaction and
 * reads committed data. `run` runs in the transaction, in which everything is checked again, and receives what `prepare` returned.
 */
export interface TwoPhaseHandler {
  prepare(given: GivenToPrepare): unknown;
  run(given: Given): unknown;
}

/** The argument of `prepare`. */
export interface GivenToPrepare extends Omit<Given, "transaction" | "facts"> {
  /** Committed records, which others may change at any time. */
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
  /** What `prepare` returned. Undefined for a handler without it. */
  readonly facts?: unknown;
  /** The time of the request. */
  readonly now: string;
  /** Unpredictable ASCII letters and digits. */
  random(length: number): string;
  /** Ends the request with a code of part 7. */
  refuse(code: string, field?: string): never;
  /** Aborted when the handler times out: pass it to `fetch` and the like. */
  readonly signal: AbortSignal;
}

export type Plain = Readonly<Record<string, Json>>;

/** A record: its fields, computed ones too, without secrets. References are identifiers. */
export type PlainRecord = Plain;

/**
 * The request's transaction, under the document's rules: new records take defaults and are checked;
 * changes increment revisions and create events. It sees all records, as effects do. A call that
 * fails ends the request, whatever the handler does with the error.
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
   * Changes fields of a record, given by itself or by its identifier; null clears. Returns the
   * changed record.
   */
  update(resource: string, record: PlainRecord | Json, changes: Plain): Promise<PlainRecord>;
  remove(resource: string, record: PlainRecord | Json): Promise<void>;
  /** Fires a transition by call; `body` is its `body`. */
  do(resource: string, record: PlainRecord | Json, transition: string, body?: Plain): Promise<PlainRecord>;
}

/**
 * Thrown by a handler, it ends the request with a code of part 7. It is recognized by its name, so
 * that several copies of this library work together.
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

/** A mistake of a handler or a function: an internal error whose text goes to the log only. */
export class HandlerMistake extends Error {
  override name = "HandlerMistake";
}
