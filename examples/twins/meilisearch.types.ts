/** Written by `ninefold types meilisearch.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Key {
  readonly uid: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  readonly expiresAt: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface Index {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly searchableAttributes: readonly string[] | null;
  readonly filterableAttributes: readonly string[] | null;
  readonly sortableAttributes: readonly string[] | null;
}

export interface Document {
  readonly place: number;
  readonly index: Resources["Index"]["identifier"];
  /** what its primary key says, as a text */
  readonly id: string;
  readonly fields: Readonly<Record<string, Json>>;
}

export interface Task {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly type: "indexCreation" | "indexUpdate" | "indexDeletion" | "documentAdditionOrUpdate" | "documentDeletion" | "settingsUpdate" | "taskCancelation";
  readonly status: "enqueued" | "succeeded" | "processing" | "failed" | "canceled";
  /** the documents */
  readonly payload: readonly Readonly<Record<string, Json>>[] | null;
  /** of those that are to go, all where there is none */
  readonly ids: readonly string[] | null;
  /** whether documents keep what isn't sent */
  readonly merges: boolean | null;
  readonly primaryKey: string | null;
  readonly settings: Readonly<Record<string, Json>> | null;
  /** the tasks that are to be canceled */
  readonly uids: readonly number[] | null;
  readonly details: Readonly<Record<string, Json>> | null;
  readonly error: Readonly<Record<string, Json>> | null;
  readonly canceledBy: number | null;
  readonly enqueuedAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly index: Resources["Index"]["identifier"] | null;
  /** the primary key that it takes */
  readonly key: string | null;
  /** why it can't be done */
  readonly fault: string | null;
}

/** One document on its way into its index, where there may be one of its name. */
export interface Piece {
  readonly number: number;
  readonly index: Resources["Index"]["identifier"];
  readonly id: string;
  readonly fields: Readonly<Record<string, Json>>;
  readonly merges: boolean;
  readonly keptAt: string | null;
  readonly status: "waiting" | "kept";
}

/** What a search answers: never stored. */
export interface Hits {
  readonly indexUid?: string | null;
  readonly hits: readonly Json[];
  readonly query: string;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly estimatedTotalHits?: number | null;
  readonly page?: number | null;
  readonly hitsPerPage?: number | null;
  readonly totalHits?: number | null;
  readonly totalPages?: number | null;
  readonly facetDistribution?: Readonly<Record<string, Json>> | null;
  readonly facetStats?: Readonly<Record<string, Json>> | null;
}

export interface Results {
  readonly results: readonly Hits[];
}

export interface Fetched {
  readonly results: readonly Json[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}

export interface Question {
  readonly indexUid?: string | null;
  readonly q?: string | null;
  readonly filter?: Json;
  readonly sort?: readonly string[] | null;
  readonly facets?: readonly string[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly page?: number | null;
  readonly hitsPerPage?: number | null;
  readonly attributesToRetrieve?: readonly string[] | null;
  readonly attributesToHighlight?: readonly string[] | null;
  readonly highlightPreTag?: string | null;
  readonly highlightPostTag?: string | null;
  readonly attributesToSearchOn?: readonly string[] | null;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Key: {
    readonly record: Key;
    readonly identifier: string;
    readonly create: {
      readonly uid?: string;
      readonly name?: string | null;
      readonly description?: string | null;
      readonly actions: readonly string[];
      readonly indexes: readonly string[];
      readonly expiresAt?: string | null;
      readonly key?: string | null;
      readonly createdAt?: string | null;
      readonly updatedAt?: string | null;
    };
    readonly update: {
      readonly name?: string | null;
      readonly description?: string | null;
      readonly actions?: readonly string[];
      readonly indexes?: readonly string[];
      readonly expiresAt?: string | null;
      readonly key?: string | null;
      readonly createdAt?: string | null;
      readonly updatedAt?: string | null;
    };
    readonly find: {
      readonly uid?: string;
      readonly name?: string;
      readonly description?: string;
      readonly expiresAt?: string;
      readonly createdAt?: string;
      readonly updatedAt?: string;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Index: {
    readonly record: Index;
    readonly identifier: string;
    readonly create: {
      readonly uid: string;
      readonly primaryKey?: string | null;
      readonly createdAt?: string | null;
      readonly updatedAt?: string | null;
      readonly searchableAttributes?: readonly string[] | null;
      readonly filterableAttributes?: readonly string[] | null;
      readonly sortableAttributes?: readonly string[] | null;
    };
    readonly update: {
      readonly primaryKey?: string | null;
      readonly createdAt?: string | null;
      readonly updatedAt?: string | null;
      readonly searchableAttributes?: readonly string[] | null;
      readonly filterableAttributes?: readonly string[] | null;
      readonly sortableAttributes?: readonly string[] | null;
    };
    readonly find: {
      readonly uid?: string;
      readonly primaryKey?: string;
      readonly createdAt?: string;
      readonly updatedAt?: string;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Document: {
    readonly record: Document;
    readonly identifier: number;
    readonly create: {
      readonly place?: number;
      readonly index: Reference<"Index">;
      readonly id: string;
      readonly fields: Readonly<Record<string, Json>>;
    };
    readonly update: {
      readonly index?: Reference<"Index">;
      readonly id?: string;
      readonly fields?: Readonly<Record<string, Json>>;
    };
    readonly find: { readonly place?: number; readonly index?: Reference<"Index">; readonly id?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Task: {
    readonly record: Task;
    readonly identifier: number;
    readonly create: {
      readonly uid?: number;
      readonly indexUid?: string | null;
      readonly type: "indexCreation" | "indexUpdate" | "indexDeletion" | "documentAdditionOrUpdate" | "documentDeletion" | "settingsUpdate" | "taskCancelation";
      readonly payload?: readonly Readonly<Record<string, Json>>[] | null;
      readonly ids?: readonly string[] | null;
      readonly merges?: boolean | null;
      readonly primaryKey?: string | null;
      readonly settings?: Readonly<Record<string, Json>> | null;
      readonly uids?: readonly number[] | null;
      readonly details?: Readonly<Record<string, Json>> | null;
      readonly error?: Readonly<Record<string, Json>> | null;
      readonly canceledBy?: number | null;
      readonly enqueuedAt?: string | null;
      readonly startedAt?: string | null;
      readonly finishedAt?: string | null;
    };
    readonly update: {
      readonly indexUid?: string | null;
      readonly type?: "indexCreation" | "indexUpdate" | "indexDeletion" | "documentAdditionOrUpdate" | "documentDeletion" | "settingsUpdate" | "taskCancelation";
      readonly payload?: readonly Readonly<Record<string, Json>>[] | null;
      readonly ids?: readonly string[] | null;
      readonly merges?: boolean | null;
      readonly primaryKey?: string | null;
      readonly settings?: Readonly<Record<string, Json>> | null;
      readonly uids?: readonly number[] | null;
      readonly details?: Readonly<Record<string, Json>> | null;
      readonly error?: Readonly<Record<string, Json>> | null;
      readonly canceledBy?: number | null;
      readonly enqueuedAt?: string | null;
      readonly startedAt?: string | null;
      readonly finishedAt?: string | null;
    };
    readonly find: {
      readonly uid?: number;
      readonly indexUid?: string;
      readonly type?: "indexCreation" | "indexUpdate" | "indexDeletion" | "documentAdditionOrUpdate" | "documentDeletion" | "settingsUpdate" | "taskCancelation";
      readonly status?: "enqueued" | "succeeded" | "processing" | "failed" | "canceled";
      readonly merges?: boolean;
      readonly primaryKey?: string;
      readonly canceledBy?: number;
      readonly enqueuedAt?: string;
      readonly startedAt?: string;
      readonly finishedAt?: string;
      readonly index?: Reference<"Index">;
      readonly key?: string;
      readonly fault?: string;
    };
    readonly transitions: {
      readonly stop: Readonly<Record<string, Json>>;
      readonly begin: Readonly<Record<string, Json>>;
      readonly finish: Readonly<Record<string, Json>>;
      readonly cancel: { readonly by?: number | null };
    };
  };
  readonly Piece: {
    readonly record: Piece;
    readonly identifier: number;
    readonly create: {
      readonly number?: number;
      readonly index: Reference<"Index">;
      readonly id: string;
      readonly fields: Readonly<Record<string, Json>>;
      readonly merges: boolean;
      readonly keptAt?: string | null;
    };
    readonly update: {
      readonly index?: Reference<"Index">;
      readonly id?: string;
      readonly fields?: Readonly<Record<string, Json>>;
      readonly merges?: boolean;
      readonly keptAt?: string | null;
    };
    readonly find: {
      readonly number?: number;
      readonly index?: Reference<"Index">;
      readonly id?: string;
      readonly merges?: boolean;
      readonly keptAt?: string;
      readonly status?: "waiting" | "kept";
    };
    readonly transitions: { readonly keep: Readonly<Record<string, Json>> };
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
export type Code = "missing_authorization_header" | "invalid_api_key" | "index_not_found" | "document_not_found" | "task_not_found" | "api_key_not_found" | "not_found" | "invalid_index_uid" | "missing_task_filters" | "invalid_search_filter" | "invalid_search_sort" | "bad_request" | "missing_index_uid" | "malformed_payload" | "payload_too_large" | "method_not_allowed" | "internal";

/** The inputs of each handler, read and checked. */
export interface Input {
  readonly fetch: {
    readonly body: {
      readonly filter?: Json;
      readonly fields?: readonly string[];
      readonly limit: number;
      readonly offset: number;
    };
    readonly query: Nothing;
    readonly path: { readonly uid: string };
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly search: {
    readonly body: { readonly question: Question };
    readonly query: Nothing;
    readonly path: { readonly uid: string };
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly searchByQuery: {
    readonly body: Nothing;
    readonly query: {
      readonly q?: string;
      readonly filter?: string;
      readonly sort?: readonly string[];
      readonly facets?: readonly string[];
      readonly limit?: number;
      readonly offset?: number;
      readonly page?: number;
      readonly hitsPerPage?: number;
      readonly attributesToRetrieve?: readonly string[];
    };
    readonly path: { readonly uid: string };
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly multiSearch: {
    readonly body: { readonly queries: readonly Question[] };
    readonly query: Nothing;
    readonly path: Nothing;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** Who calls each handler. */
export interface Caller {
  readonly fetch: Key;
  readonly search: Key;
  readonly searchByQuery: Key;
  readonly multiSearch: Key;
}

/** The records of each handler's path. */
export interface Records {
  readonly fetch: Nothing;
  readonly search: Nothing;
  readonly searchByQuery: Nothing;
  readonly multiSearch: Nothing;
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
  /** POST /indexes/{uid}/documents/fetch */
  readonly fetch: Handler<"fetch", Fetched>;
  /** POST /indexes/{uid}/search */
  readonly search: Handler<"search", Hits>;
  /** GET /indexes/{uid}/search */
  readonly searchByQuery: Handler<"searchByQuery", Hits>;
  /** POST /multi-search */
  readonly multiSearch: Handler<"multiSearch", Results>;
}

/** What `functions` of the module, as an object. They return synchronously, and are never called with null. */
export type Functions = Nothing;
