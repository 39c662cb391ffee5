/** Written by `ninefold types postgrest.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Key {
  readonly id: string;
}

export interface Country {
  readonly code: string;
  readonly name: string;
  readonly continent: string | null;
  readonly population: number | null;
  readonly area: number | null;
  readonly landlocked: boolean | null;
  readonly founded: string | null;
  readonly languages: readonly string[] | null;
  /** The request that changed the row last */
  readonly touched_by: string | null;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Key: {
    readonly record: Key;
    readonly identifier: string;
    readonly create: { readonly id?: string; readonly key?: string | null };
    readonly update: { readonly key?: string | null };
    readonly find: { readonly id?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Country: {
    readonly record: Country;
    readonly identifier: string;
    readonly create: {
      readonly code: string;
      readonly name: string;
      readonly continent?: string | null;
      readonly population?: number | null;
      readonly area?: number | null;
      readonly landlocked?: boolean | null;
      readonly founded?: string | null;
      readonly languages?: readonly string[] | null;
      readonly touched_by?: string | null;
    };
    readonly update: {
      readonly name?: string;
      readonly continent?: string | null;
      readonly population?: number | null;
      readonly area?: number | null;
      readonly landlocked?: boolean | null;
      readonly founded?: string | null;
      readonly languages?: readonly string[] | null;
      readonly touched_by?: string | null;
    };
    readonly find: {
      readonly code?: string;
      readonly name?: string;
      readonly continent?: string;
      readonly population?: number;
      readonly area?: number;
      readonly landlocked?: boolean;
      readonly founded?: string;
      readonly touched_by?: string;
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
export type Code = "PGRST100" | "PGRST102" | "PGRST125" | "PGRST127" | "PGRST204" | "PGRST301" | "42703" | "23502" | "23505" | "22P02";

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

/** A comparison with a field that the document lists, by its name in requests. A text is read by the field's type. */
export type Comparison =
  | { readonly field: string; readonly is: "==" | "!="; readonly value: Json; readonly ignoreCase?: boolean }
  | { readonly field: string; readonly is: "<" | "<=" | ">" | ">="; readonly value: Json }
  | {
    readonly field: string;
    readonly is: "in";
    readonly value: readonly Json[];
    readonly ignoreCase?: boolean;
  }
  | {
      readonly field: string;
      readonly is: "contains" | "startsWith" | "endsWith" | "matches";
      readonly value: Json;
      readonly ignoreCase?: boolean;
    };

/** Which records a request selects. `null` selects all, `invalid` rejects the request with this problem. */
export type Condition =
  | Comparison
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly invalid: string };

/** What `functions` of the module, as an object. They return synchronously, and are never called with null. */
export type Functions = {
  filtered(filters: Readonly<Record<string, readonly string[]>>): Condition | null;
  columns(select: string): readonly string[] | null;
};
