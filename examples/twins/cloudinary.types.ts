/** Written by `ninefold types cloudinary.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Cloud {
  readonly cloud_name: string;
  readonly api_key: string;
  /** Signs, so it is kept as it is */
  readonly api_secret: string;
}

export interface Asset {
  readonly asset_id: string;
  readonly cloud: Resources["Cloud"]["identifier"];
  readonly resource_type: "image" | "video" | "raw";
  readonly type: "upload" | "private" | "authenticated";
  readonly public_id: string;
  /** When its bytes were received, in seconds */
  readonly version: number;
  /** Null of raw files, whose public id has their ending */
  readonly format: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number;
  readonly etag: string;
  readonly original_filename: string | null;
  readonly tags: readonly string[] | null;
  readonly context: Readonly<Record<string, string>> | null;
  readonly created_at: string;
  readonly media_type: string | null;
  readonly content: string | null;
}

export interface Piece {
  readonly number: number;
  readonly cloud: Resources["Cloud"]["identifier"];
  readonly upload: string;
  readonly content: string;
  readonly created_at: string;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Cloud: {
    readonly record: Cloud;
    readonly identifier: string;
    readonly create: {
      readonly cloud_name: string;
      readonly api_key: string;
      readonly api_secret: string;
      readonly password?: string;
    };
    readonly update: { readonly api_key?: string; readonly api_secret?: string; readonly password?: string };
    readonly find: { readonly cloud_name?: string; readonly api_key?: string; readonly api_secret?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Asset: {
    readonly record: Asset;
    readonly identifier: string;
    readonly create: {
      readonly asset_id?: string;
      readonly cloud: Reference<"Cloud">;
      readonly resource_type: "image" | "video" | "raw";
      readonly type?: "upload" | "private" | "authenticated";
      readonly public_id: string;
      readonly version: number;
      readonly format?: string | null;
      readonly width?: number | null;
      readonly height?: number | null;
      readonly bytes: number;
      readonly etag: string;
      readonly original_filename?: string | null;
      readonly tags?: readonly string[] | null;
      readonly context?: Readonly<Record<string, string>> | null;
      readonly created_at?: string;
      readonly media_type?: string | null;
      readonly content?: string | null;
    };
    readonly update: {
      readonly cloud?: Reference<"Cloud">;
      readonly resource_type?: "image" | "video" | "raw";
      readonly type?: "upload" | "private" | "authenticated";
      readonly public_id?: string;
      readonly version?: number;
      readonly format?: string | null;
      readonly width?: number | null;
      readonly height?: number | null;
      readonly bytes?: number;
      readonly etag?: string;
      readonly original_filename?: string | null;
      readonly tags?: readonly string[] | null;
      readonly context?: Readonly<Record<string, string>> | null;
      readonly created_at?: string;
      readonly media_type?: string | null;
      readonly content?: string | null;
    };
    readonly find: {
      readonly asset_id?: string;
      readonly cloud?: Reference<"Cloud">;
      readonly resource_type?: "image" | "video" | "raw";
      readonly type?: "upload" | "private" | "authenticated";
      readonly public_id?: string;
      readonly version?: number;
      readonly format?: string;
      readonly width?: number;
      readonly height?: number;
      readonly bytes?: number;
      readonly etag?: string;
      readonly original_filename?: string;
      readonly created_at?: string;
      readonly media_type?: string;
      readonly content?: string;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Piece: {
    readonly record: Piece;
    readonly identifier: number;
    readonly create: {
      readonly number?: number;
      readonly cloud: Reference<"Cloud">;
      readonly upload: string;
      readonly content: string;
      readonly created_at?: string;
    };
    readonly update: {
      readonly cloud?: Reference<"Cloud">;
      readonly upload?: string;
      readonly content?: string;
      readonly created_at?: string;
    };
    readonly find: {
      readonly number?: number;
      readonly cloud?: Reference<"Cloud">;
      readonly upload?: string;
      readonly content?: string;
      readonly created_at?: string;
    };
    readonly transitions: Record<never, never>;
  };
}

/** A record, or its identifier. */
export type Reference<R extends keyof Resources> = Resources[R]["record"] | Resources[R]["identifier"];

/** The request's transaction, under the document's rules. A call that fails ends the request. */
export interface Transaction {
  get<R extends keyof Resources>(
    resource: R,
    identifier: Resources[R]["identifier"],
  ): Promise<Resources[R]["record"] | null>;
  /** Records whose fields equal those of `where`, in the order of creation. More than 1,000 need several calls with `limit` and `skip`. */
  list<R extends keyof Resources>(
    resource: R,
    options?: { readonly where?: Resources[R]["find"]; readonly limit?: number; readonly skip?: number },
  ): Promise<readonly Resources[R]["record"][]>;
  create<R extends keyof Resources>(
    resource: R,
    values: Resources[R]["create"],
  ): Promise<Resources[R]["record"]>;
  update<R extends keyof Resources>(
    resource: R,
    record: Reference<R>,
    changes: Resources[R]["update"],
  ): Promise<Resources[R]["record"]>;
  remove<R extends keyof Resources>(resource: R, record: Reference<R>): Promise<void>;
  /** Fires a transition. */
  do<R extends keyof Resources, T extends keyof Resources[R]["transitions"]>(
    resource: R,
    record: Reference<R>,
    transition: T,
    body?: Resources[R]["transitions"][T],
  ): Promise<Resources[R]["record"]>;
}

/** The codes of part 7. */
export type Code = "invalid_signature" | "unknown_key" | "stale" | "invalid_image" | "not_fetched" | "taken" | "missing" | "invalid" | "unknown_cloud" | "not_found" | "unknown_path" | "unauthenticated" | "mismatch" | "other_cloud" | "too_large" | "rate_limited" | "failed";

/** The inputs of each handler, read and checked. */
export interface Input {
}

/** Who calls each handler. */
export interface Caller {
}

/** The records of each handler's path. */
export interface Records {
}

export interface Given<N extends keyof Handlers> {
  readonly input: Input[N];
  readonly caller: Caller[N];
  readonly records: Records[N];
  readonly transaction: Transaction;
  /** The time of the request. */
  readonly now: string;
  /** Unpredictable letters and digits. */
  random(length: number): string;
  /** Ends the request with a code of part 7. */
  refuse(code: Code, field?: string): never;
  /** Aborted when the handler times out. */
  readonly signal: AbortSignal;
}

/** What `prepare` is given: committed records, which others may change at any time, and no transaction. */
export interface GivenToPrepare<N extends keyof Handlers> extends Omit<Given<N>, "transaction"> {
  readonly committed: Pick<Transaction, "get" | "list">;
}

/** A function in the request's transaction, or one in two phases: `prepare` may wait, and no other request waits for it. */
export type Handler<N extends keyof Handlers, Result> =
  | ((given: Given<N>) => Result | Promise<Result>)
  | {
      prepare(given: GivenToPrepare<N>): unknown;
      /** `facts` is what `prepare` returned. */
      run(given: Given<N> & { readonly facts: unknown }): Result | Promise<Result>;
    };

/** What `handlers` of the module, as an object. */
export interface Handlers {
}

/** What `functions` of the module, as an object. They return synchronously, and are never called with null. */
export type Functions = {
  md5(argument1: string): string | null;
  width(argument1: string): number | null;
  height(argument1: string): number | null;
  pairs(argument1: string): Readonly<Record<string, string>> | null;
  joined(argument1: readonly string[]): string | null;
};
