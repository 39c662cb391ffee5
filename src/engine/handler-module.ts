/**
 * The author's own code beside a document (notation, "Handlers"): what a handlers' module exports and what a handler is given. Loading the
 * module is the command line's; running a handler is `run.ts`. Nothing here is generated over, and nothing runs without being asked for.
 */
import type { Json } from "../support/json.ts";

/** What `parcels.ts` beside `parcels.md` exports. */
export interface HandlerModule {
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly functions?: Readonly<Record<string, (...args: never[]) => unknown>>;
}

export type Handler = (given: Given) => unknown;

/** What a handler is given. Values are plain JSON data in the forms of the wire, timestamps with milliseconds in UTC. */
export interface Given {
  /** The validated inputs by their place. */
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
  /** The time of the request. */
  readonly now: string;
  /** Unpredictable letters and digits. */
  random(length: number): string;
  /** Ends the request with a code of part 7. */
  refuse(code: string, field?: string): never;
  /** Aborted when the handler's time is over: give it to `fetch` and the like. */
  readonly signal: AbortSignal;
}

export type Plain = Readonly<Record<string, Json>>;

/** A record: its fields, computed ones too, without secrets. References are identifiers. */
export type PlainRecord = Plain;

/**
 * The request's transaction, under the document's rules: what is made is filled in and checked, what changes raises revisions and makes
 * events. It sees all records, as effects do. A call that fails ends the request, whatever the handler does with the error.
 */
export interface HandlerTransaction {
  /** The record of an identifier (of two fields: an object), or null. */
  get(resource: string, identifier: Json): Promise<PlainRecord | null>;
  /** Records whose fields equal those of `where`, in the order in which they were made. More than 1,000 come in pieces: `limit`, `skip`. */
  list(
    resource: string,
    options?: { readonly where?: Plain; readonly limit?: number; readonly skip?: number },
  ): Promise<readonly PlainRecord[]>;
  create(resource: string, values: Plain): Promise<PlainRecord>;
  /** Changes fields of a record (or of that of an identifier); null clears. Answers it as it is then. */
  update(resource: string, record: PlainRecord | Json, changes: Plain): Promise<PlainRecord>;
  remove(resource: string, record: PlainRecord | Json): Promise<void>;
  /** Takes a transition by call; `body` is what it finds in `body`. */
  do(resource: string, record: PlainRecord | Json, transition: string, body?: Plain): Promise<PlainRecord>;
}

/** Thrown by a handler, it ends the request with a code of part 7. Known by its name, so that copies of this library agree. */
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

/** What a handler or a function of the module did wrong: an internal error whose words are for the log. */
export class HandlerMistake extends Error {
  override name = "HandlerMistake";
}
