/** Written by `ninefold types s3.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Key {
  readonly access_key: string;
  readonly secret: string;
}

export interface Bucket {
  readonly name: string;
  readonly created_at: string | null;
}

export interface Object {
  readonly id: number;
  readonly bucket: Resources["Bucket"]["identifier"];
  readonly key: string;
  /** The bytes, in base64 */
  readonly content: string | null;
  readonly size: number;
  /** Of one piece, its MD5 */
  readonly etag: string;
  readonly media_type: string;
  readonly encoding: string | null;
  readonly modified_at: string;
}

export interface Upload {
  readonly id: string;
  readonly bucket: Resources["Bucket"]["identifier"];
  readonly key: string;
  readonly media_type: string;
  readonly created_at: string | null;
}

export interface Part {
  readonly id: number;
  readonly upload: Resources["Upload"]["identifier"];
  readonly number: number;
  readonly content: string | null;
  /** The MD5 of it, in base64 */
  readonly digest: string;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Key: {
    readonly record: Key;
    readonly identifier: string;
    readonly create: { readonly access_key: string; readonly secret: string };
    readonly update: { readonly secret?: string };
    readonly find: { readonly access_key?: string; readonly secret?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Bucket: {
    readonly record: Bucket;
    readonly identifier: string;
    readonly create: { readonly name: string; readonly created_at?: string | null };
    readonly update: { readonly created_at?: string | null };
    readonly find: { readonly name?: string; readonly created_at?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Object: {
    readonly record: Object;
    readonly identifier: number;
    readonly create: {
      readonly id?: number;
      readonly bucket: Reference<"Bucket">;
      readonly key: string;
      readonly content?: string | null;
      readonly size: number;
      readonly etag: string;
      readonly media_type: string;
      readonly encoding?: string | null;
      readonly modified_at: string;
    };
    readonly update: {
      readonly bucket?: Reference<"Bucket">;
      readonly key?: string;
      readonly content?: string | null;
      readonly size?: number;
      readonly etag?: string;
      readonly media_type?: string;
      readonly encoding?: string | null;
      readonly modified_at?: string;
    };
    readonly find: {
      readonly id?: number;
      readonly bucket?: Reference<"Bucket">;
      readonly key?: string;
      readonly content?: string;
      readonly size?: number;
      readonly etag?: string;
      readonly media_type?: string;
      readonly encoding?: string;
      readonly modified_at?: string;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Upload: {
    readonly record: Upload;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly bucket: Reference<"Bucket">;
      readonly key: string;
      readonly media_type: string;
      readonly created_at?: string | null;
    };
    readonly update: {
      readonly bucket?: Reference<"Bucket">;
      readonly key?: string;
      readonly media_type?: string;
      readonly created_at?: string | null;
    };
    readonly find: {
      readonly id?: string;
      readonly bucket?: Reference<"Bucket">;
      readonly key?: string;
      readonly media_type?: string;
      readonly created_at?: string;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Part: {
    readonly record: Part;
    readonly identifier: number;
    readonly create: {
      readonly id?: number;
      readonly upload: Reference<"Upload">;
      readonly number: number;
      readonly content?: string | null;
      readonly digest: string;
    };
    readonly update: {
      readonly upload?: Reference<"Upload">;
      readonly number?: number;
      readonly content?: string | null;
      readonly digest?: string;
    };
    readonly find: {
      readonly id?: number;
      readonly upload?: Reference<"Upload">;
      readonly number?: number;
      readonly content?: string;
      readonly digest?: string;
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
export type Code = "NoSuchBucket" | "NoSuchKey" | "NoSuchUpload" | "BucketAlreadyOwnedByYou" | "BucketNotEmpty" | "InvalidAccessKeyId" | "SignatureDoesNotMatch" | "BadDigest" | "InvalidPart" | "InvalidRange" | "EntityTooLarge" | "InvalidBucketName" | "InvalidArgument" | "MethodNotAllowed" | "NoSuchPath" | "InternalError";

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
  signature(argument1: string, argument2: string, argument3: Json, argument4: string): string | null;
  joined(argument1: readonly string[]): string | null;
  escaped(argument1: string): string | null;
  keys(argument1: string): readonly string[] | null;
};
