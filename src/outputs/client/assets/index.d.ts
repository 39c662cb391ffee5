/** What this package's functions take and give, besides the service's own types. */

/** What calls go through. Made by `connect`. */
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
  /** How often a call is tried again, at most: 2 unless said otherwise. */
  readonly retries?: number;
  /** How long a call may take, with all its attempts; as long as it takes unless said otherwise. */
  readonly timeoutMs?: number;
  /** Chance and time, for tests. */
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Where the operation takes one; else one is made for each call. */
  readonly idempotencyKey?: string;
}

/** Awaited it is the first page, iterated it is the items of all pages. Nothing is sent before. */
export interface List<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  pages(): AsyncGenerator<Page, void, undefined>;
}

export interface StreamOptions extends Omit<CallOptions, "timeoutMs"> {
  /** Begins behind this event, of an earlier stream. */
  readonly lastEventId?: string;
}

export interface StreamEvent<Name extends string, Data> {
  readonly event: Name;
  readonly data: Data;
  readonly id: string | undefined;
}

/** Events were missed: those behind the last one seen are kept no more, or it isn't known. */
export type StreamReset = StreamEvent<"reset", { readonly reason: "unknown" | "expired" }>;

export interface WaitOptions extends Omit<CallOptions, "timeoutMs" | "idempotencyKey"> {
  /** How long to wait, in milliseconds: a minute unless said otherwise. */
  readonly timeoutMs?: number;
  /** The first pause, in milliseconds: half a second unless said otherwise. */
  readonly everyMs?: number;
}

/** The service refused. Each code of the document has a class of its own. */
export declare class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** As received: JSON if it was JSON, else the text. */
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

/** The time is over. */
export declare class WaitedInVain extends Waited {}

/** A delivery that isn't the service's, or is too old to be believed. */
export declare class NotGenuine extends Error {}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far its time may be from now: 300 unless said otherwise. */
  readonly toleranceSeconds?: number;
  readonly now?: () => number;
}
