/** Written by `ninefold types delivery-quotes.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Tariff {
  /** where it holds */
  readonly zone: "north" | "south";
  /** cents for any parcel */
  readonly base: number;
  /** cents for each started kilogram */
  readonly per_kilogram: number;
}

export interface Van {
  readonly id: string;
  readonly name: string;
  /** places that are left */
  readonly places: number;
}

export interface Booking {
  readonly id: string;
  /** which one takes it */
  readonly van: Resources["Van"]["identifier"];
  readonly to: Place;
  /** cents */
  readonly total: number;
  /** what is written on the parcel */
  readonly label: string | null;
  readonly booked_at: string;
  readonly status: "booked" | "moved";
}

export interface Place {
  readonly city: string;
  readonly zone: "north" | "south";
}

/** What a handler answers: never stored. */
export interface Quote {
  readonly zone: string;
  /** cents */
  readonly total: number;
  /** what it is made of */
  readonly lines: readonly QuoteLine[];
}

export interface QuoteLine {
  readonly label: string;
  /** cents */
  readonly amount: number;
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Tariff: {
    readonly record: Tariff;
    readonly identifier: "north" | "south";
    readonly create: {
      readonly zone: "north" | "south";
      readonly base: number;
      readonly per_kilogram: number;
    };
    readonly update: { readonly base?: number; readonly per_kilogram?: number };
    readonly find: {
      readonly zone?: "north" | "south";
      readonly base?: number;
      readonly per_kilogram?: number;
    };
    readonly transitions: Record<never, never>;
  };
  readonly Van: {
    readonly record: Van;
    readonly identifier: string;
    readonly create: { readonly id?: string; readonly name: string; readonly places: number };
    readonly update: { readonly name?: string; readonly places?: number };
    readonly find: { readonly id?: string; readonly name?: string; readonly places?: number };
    readonly transitions: Record<never, never>;
  };
  readonly Booking: {
    readonly record: Booking;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly van: Reference<"Van">;
      readonly to: Place;
      readonly total: number;
      readonly booked_at?: string;
    };
    readonly update: {
      readonly van?: Reference<"Van">;
      readonly to?: Place;
      readonly total?: number;
      readonly booked_at?: string;
    };
    readonly find: {
      readonly id?: string;
      readonly van?: Reference<"Van">;
      readonly total?: number;
      readonly label?: string;
      readonly booked_at?: string;
      readonly status?: "booked" | "moved";
    };
    readonly transitions: { readonly move: Readonly<Record<string, Json>> };
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
export type Code = "no_tariff" | "van_full" | "moved_already" | "not_found" | "invalid";

/** The inputs of each handler, read and checked. */
export interface Input {
  readonly quote: {
    readonly body: { readonly to: Place; readonly weight_grams: number };
    readonly query: Nothing;
    readonly path: Nothing;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly book: {
    readonly body: { readonly to: Place; readonly weight_grams: number };
    readonly query: Nothing;
    readonly path: Nothing;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly swap: {
    readonly body: Nothing;
    readonly query: Nothing;
    readonly path: { readonly id: string };
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** Who calls each handler. */
export interface Caller {
  readonly quote: null;
  readonly book: null;
  readonly swap: null;
}

/** The records of each handler's path. */
export interface Records {
  readonly quote: Nothing;
  readonly book: Nothing;
  readonly swap: { readonly booking: Booking };
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
  /** POST /quotes */
  readonly quote: Handler<"quote", Quote>;
  /** POST /bookings */
  readonly book: Handler<"book", Booking>;
  /** POST /bookings/{id}/swap */
  readonly swap: Handler<"swap", readonly Van[]>;
}

/** What `functions` of the module, as an object. They return synchronously, and are never called with null. */
export type Functions = {
  label(place: Place): string | null;
};
