/** Written by `ninefold types launchdarkly.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Token {
  readonly id: string;
  readonly role: "reader" | "writer";
}

export interface Project {
  readonly _id: string;
  readonly key: string;
  readonly name: string;
  readonly tags: readonly string[] | null;
  readonly includeInSnippetByDefault: boolean | null;
}

export interface EnvironmentPost {
  readonly key: string;
  readonly name: string;
  readonly color: string;
  readonly tags?: readonly string[] | null;
}

export interface Environment {
  readonly _id: string;
  readonly project: Resources["Project"]["identifier"];
  readonly key: string;
  readonly name: string;
  readonly color: string;
  readonly apiKey: string;
  readonly mobileKey: string;
  readonly defaultTtl: number;
  readonly secureMode: boolean;
  readonly defaultTrackEvents: boolean;
  readonly requireComments: boolean;
  readonly confirmChanges: boolean;
  readonly critical: boolean;
  readonly tags: readonly string[];
}

export interface Variation {
  readonly _id?: string | null;
  readonly value: Json;
  readonly name?: string | null;
  readonly description?: string | null;
}

export interface Defaults {
  readonly onVariation: number;
  readonly offVariation: number;
}

export interface ClientSideAvailability {
  readonly usingMobileKey?: boolean | null;
  readonly usingEnvironmentId?: boolean | null;
}

export interface CustomProperty {
  readonly name: string;
  readonly value: readonly string[];
}

export interface Operation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string | null;
  readonly value?: Json;
}

export interface Flag {
  readonly id: string;
  readonly project: Resources["Project"]["identifier"];
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: string;
  readonly variations: readonly Variation[] | null;
  readonly defaults: Defaults | null;
  readonly temporary: boolean | null;
  readonly tags: readonly string[] | null;
  readonly customProperties: Readonly<Record<string, CustomProperty>> | null;
  readonly clientSideAvailability: ClientSideAvailability | null;
  readonly archived: boolean | null;
  readonly deprecated: boolean | null;
  /** By the environment's key */
  readonly environments: Readonly<Record<string, Json>> | null;
  readonly revision: number;
  readonly created_at: string;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Token: {
    readonly record: Token;
    readonly identifier: string;
    readonly create: { readonly id?: string; readonly token: string; readonly role?: "reader" | "writer" };
    readonly update: { readonly token?: string; readonly role?: "reader" | "writer" };
    readonly find: { readonly id?: string; readonly role?: "reader" | "writer" };
    readonly transitions: Record<never, never>;
  };
  readonly Project: {
    readonly record: Project;
    readonly identifier: string;
    readonly create: {
      readonly _id?: string;
      readonly key: string;
      readonly name: string;
      readonly tags?: readonly string[] | null;
      readonly includeInSnippetByDefault?: boolean | null;
    };
    readonly update: {
      readonly _id?: string;
      readonly name?: string;
      readonly tags?: readonly string[] | null;
      readonly includeInSnippetByDefault?: boolean | null;
    };
    readonly find: {
      readonly _id?: string;
      readonly key?: string;
      readonly name?: string;
      readonly includeInSnippetByDefault?: boolean;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Environment: {
    readonly record: Environment;
    readonly identifier: string;
    readonly create: {
      readonly _id?: string;
      readonly project: Reference<"Project">;
      readonly key: string;
      readonly name: string;
      readonly color: string;
      readonly apiKey?: string;
      readonly mobileKey?: string;
      readonly defaultTtl?: number;
      readonly secureMode?: boolean;
      readonly defaultTrackEvents?: boolean;
      readonly requireComments?: boolean;
      readonly confirmChanges?: boolean;
      readonly critical?: boolean;
      readonly tags?: readonly string[];
    };
    readonly update: {
      readonly project?: Reference<"Project">;
      readonly key?: string;
      readonly name?: string;
      readonly color?: string;
      readonly apiKey?: string;
      readonly mobileKey?: string;
      readonly defaultTtl?: number;
      readonly secureMode?: boolean;
      readonly defaultTrackEvents?: boolean;
      readonly requireComments?: boolean;
      readonly confirmChanges?: boolean;
      readonly critical?: boolean;
      readonly tags?: readonly string[];
    };
    readonly find: {
      readonly _id?: string;
      readonly project?: Reference<"Project">;
      readonly key?: string;
      readonly name?: string;
      readonly color?: string;
      readonly apiKey?: string;
      readonly mobileKey?: string;
      readonly defaultTtl?: number;
      readonly secureMode?: boolean;
      readonly defaultTrackEvents?: boolean;
      readonly requireComments?: boolean;
      readonly confirmChanges?: boolean;
      readonly critical?: boolean;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Flag: {
    readonly record: Flag;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly project: Reference<"Project">;
      readonly key: string;
      readonly name: string;
      readonly description?: string | null;
      readonly variations?: readonly Variation[] | null;
      readonly defaults?: Defaults | null;
      readonly temporary?: boolean | null;
      readonly tags?: readonly string[] | null;
      readonly customProperties?: Readonly<Record<string, CustomProperty>> | null;
      readonly clientSideAvailability?: ClientSideAvailability | null;
      readonly archived?: boolean | null;
      readonly deprecated?: boolean | null;
      readonly environments?: Readonly<Record<string, Json>> | null;
      readonly revision?: number;
      readonly created_at?: string;
    };
    readonly update: {
      readonly project?: Reference<"Project">;
      readonly key?: string;
      readonly name?: string;
      readonly description?: string | null;
      readonly variations?: readonly Variation[] | null;
      readonly defaults?: Defaults | null;
      readonly temporary?: boolean | null;
      readonly tags?: readonly string[] | null;
      readonly customProperties?: Readonly<Record<string, CustomProperty>> | null;
      readonly clientSideAvailability?: ClientSideAvailability | null;
      readonly archived?: boolean | null;
      readonly deprecated?: boolean | null;
      readonly environments?: Readonly<Record<string, Json>> | null;
      readonly revision?: number;
      readonly created_at?: string;
    };
    readonly find: {
      readonly id?: string;
      readonly project?: Reference<"Project">;
      readonly key?: string;
      readonly name?: string;
      readonly description?: string;
      readonly kind?: string;
      readonly temporary?: boolean;
      readonly archived?: boolean;
      readonly deprecated?: boolean;
      readonly revision?: number;
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
export type Code = "unauthorized" | "forbidden" | "not_found" | "no_clone" | "method_not_allowed" | "optimistic_locking_error" | "key_exists" | "invalid_request" | "bad_patch" | "bad_filter" | "bad_defaults" | "unsupported" | "rate_limited" | "internal_error";

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
  patched(argument1: Json, argument2: Json): Json;
  changed(argument1: Json, argument2: Json, argument3: boolean, argument4: number): Json;
  configured(argument1: readonly string[], argument2: number): Readonly<Record<string, Json>> | null;
};
