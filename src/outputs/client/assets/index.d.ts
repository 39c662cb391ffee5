/** The arguments and results of this package's functions, besides the service's own types. */

/** A connection for calls. Created by `connect`. */
export interface Client {
  readonly url: string;
}

type Given<T> = T | (() => T | Promise<T>);

export interface ConnectOptions<Credentials> {
  /** Where the service is, without its base path: `https://api.example.com`. */
  readonly url: string | URL;
  /** By the names of the schemes; a function is called before each request. */
  readonly credentials?: { readonly [Scheme in keyof Credentials]?: Given<NonNullable<Credentials[Scheme]>> };
  /** In the stead of the global one. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Maximum number of retries of a call; 2 by default. */
  readonly retries?: number;
  /** Time limit of a call with all its attempts; unlimited by default. */
  readonly timeoutMs?: number;
  /** Chance and time, for tests. */
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The idempotency key, if the operation takes one; by default one is created for each call. */
  readonly idempotencyKey?: string;
}

/** Awaited it is the first page, iterated it is the items of all pages. Nothing is sent before. */
export interface List<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  pages(): AsyncGenerator<Page, void, undefined>;
}

export interface StreamOptions extends Omit<CallOptions, "timeoutMs"> {
  /** Starts after this event of an earlier stream. */
  readonly lastEventId?: string;
}

export interface StreamEvent<Name extends string, Data> {
  readonly event: Name;
  readonly data: Data;
  readonly id: string | undefined;
}

/** Events were missed: those after the last one seen are no longer kept, or it is unknown. */
export type StreamReset = StreamEvent<"reset", { readonly reason: "unknown" | "expired" }>;

export interface WaitOptions extends Omit<CallOptions, "timeoutMs" | "idempotencyKey"> {
  /** How long to wait, in milliseconds; a minute by default. */
  readonly timeoutMs?: number;
  /** The first pause, in milliseconds; half a second by default. */
  readonly everyMs?: number;
}

/** The service rejected the request. Each code of the document has a class of its own. */
export declare class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** The body as received: JSON if it was JSON, else the text. */
  readonly body: unknown;
  readonly headers: Headers;
  /** For support requests. */
  readonly requestId: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

declare class Waited extends Error {
  /** As it was read last. */
  readonly record: unknown;
  readonly state: string;
  readonly wanted: readonly string[];
}

/** From where the record is, the state that is waited for can't be reached any more. */
export declare class DeadEnd extends Waited {}

/** The time limit was exceeded. */
export declare class WaitedInVain extends Waited {}

/** A delivery that isn't the service's, or is too old to be believed. */
export declare class NotGenuine extends Error {}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The largest accepted difference between its time and now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  readonly now?: () => number;
}
