/** Written by `ninefold types openid.md` and overwritten by it: change the document instead. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object without keys. */
export type Nothing = Readonly<Record<string, never>>;

export interface Client {
  readonly client_id: string;
  /** Only a confidential client has one */
  readonly secret: string | null;
  readonly redirect_uris: readonly string[];
}

export interface User {
  readonly sub: string;
  readonly email: string;
  readonly name: string;
}

export interface Key {
  readonly kid: string;
  /** The private key */
  readonly pem: string | null;
  /** The latest key signs */
  readonly made_at: string | null;
}

export interface Jwk {
  readonly kty: string;
  readonly use: string;
  readonly alg: string;
  readonly kid: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

export interface Grant {
  readonly id: string;
  readonly code: string | null;
  readonly client: Resources["Client"]["identifier"];
  readonly user: Resources["User"]["identifier"];
  readonly redirect_uri: string;
  readonly scope: string;
  readonly nonce: string | null;
  /** Of PKCE, by SHA-256 */
  readonly challenge: string;
  readonly status: "issued" | "redeemed" | "lapsed";
}

export interface Device {
  readonly id: string;
  readonly device_code: string | null;
  readonly user_code: string | null;
  readonly client: Resources["Client"]["identifier"];
  readonly user: Resources["User"]["identifier"] | null;
  readonly scope: string;
  readonly status: "pending" | "approved" | "denied" | "redeemed" | "lapsed";
}

export interface Token {
  readonly id: string;
  readonly access: string | null;
  readonly refresh: string | null;
  /** Of the grant: what was rotated belongs together */
  readonly family: string;
  readonly client: Resources["Client"]["identifier"];
  readonly user: Resources["User"]["identifier"];
  readonly scope: string;
  readonly nonce: string | null;
  readonly issued_at: string | null;
  readonly expires_at: string | null;
  readonly status: "valid" | "rotated" | "revoked";
}

/** The parameters and results of the transaction, by resource. */
export interface Resources {
  readonly Client: {
    readonly record: Client;
    readonly identifier: string;
    readonly create: {
      readonly client_id: string;
      readonly secret?: string | null;
      readonly redirect_uris: readonly string[];
    };
    readonly update: { readonly secret?: string | null; readonly redirect_uris?: readonly string[] };
    readonly find: { readonly client_id?: string; readonly secret?: string };
    readonly transitions: Record<never, never>;
  };
  readonly User: {
    readonly record: User;
    readonly identifier: string;
    readonly create: { readonly sub: string; readonly email: string; readonly name: string };
    readonly update: { readonly email?: string; readonly name?: string };
    readonly find: { readonly sub?: string; readonly email?: string; readonly name?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Key: {
    readonly record: Key;
    readonly identifier: string;
    readonly create: { readonly kid: string; readonly pem?: string | null; readonly made_at?: string | null };
    readonly update: { readonly pem?: string | null; readonly made_at?: string | null };
    readonly find: { readonly kid?: string; readonly pem?: string; readonly made_at?: string };
    readonly transitions: Record<never, never>;
  };
  readonly Grant: {
    readonly record: Grant;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly code?: string | null;
      readonly client: Reference<"Client">;
      readonly user: Reference<"User">;
      readonly redirect_uri: string;
      readonly scope: string;
      readonly nonce?: string | null;
      readonly challenge: string;
    };
    readonly update: {
      readonly code?: string | null;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User">;
      readonly redirect_uri?: string;
      readonly scope?: string;
      readonly nonce?: string | null;
      readonly challenge?: string;
    };
    readonly find: {
      readonly id?: string;
      readonly code?: string;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User">;
      readonly redirect_uri?: string;
      readonly scope?: string;
      readonly nonce?: string;
      readonly challenge?: string;
      readonly status?: "issued" | "redeemed" | "lapsed";
    };
    readonly transitions: {
      readonly redeem: Readonly<Record<string, Json>>;
      readonly lapse: Readonly<Record<string, Json>>;
    };
  };
  readonly Device: {
    readonly record: Device;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly device_code?: string | null;
      readonly user_code?: string | null;
      readonly client: Reference<"Client">;
      readonly user?: Reference<"User"> | null;
      readonly scope: string;
    };
    readonly update: {
      readonly device_code?: string | null;
      readonly user_code?: string | null;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User"> | null;
      readonly scope?: string;
    };
    readonly find: {
      readonly id?: string;
      readonly device_code?: string;
      readonly user_code?: string;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User">;
      readonly scope?: string;
      readonly status?: "pending" | "approved" | "denied" | "redeemed" | "lapsed";
    };
    readonly transitions: {
      readonly approve: {
        readonly user_code?: string | null;
        readonly email?: string | null;
        readonly agreed?: boolean | null;
      };
      readonly deny: {
        readonly user_code?: string | null;
        readonly email?: string | null;
        readonly agreed?: boolean | null;
      };
      readonly redeem: Readonly<Record<string, Json>>;
      readonly lapse: Readonly<Record<string, Json>>;
    };
  };
  readonly Token: {
    readonly record: Token;
    readonly identifier: string;
    readonly create: {
      readonly id?: string;
      readonly access?: string | null;
      readonly refresh?: string | null;
      readonly family: string;
      readonly client: Reference<"Client">;
      readonly user: Reference<"User">;
      readonly scope: string;
      readonly nonce?: string | null;
      readonly issued_at?: string | null;
      readonly expires_at?: string | null;
    };
    readonly update: {
      readonly access?: string | null;
      readonly refresh?: string | null;
      readonly family?: string;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User">;
      readonly scope?: string;
      readonly nonce?: string | null;
      readonly issued_at?: string | null;
      readonly expires_at?: string | null;
    };
    readonly find: {
      readonly id?: string;
      readonly access?: string;
      readonly refresh?: string;
      readonly family?: string;
      readonly client?: Reference<"Client">;
      readonly user?: Reference<"User">;
      readonly scope?: string;
      readonly nonce?: string;
      readonly issued_at?: string;
      readonly expires_at?: string;
      readonly status?: "valid" | "rotated" | "revoked";
    };
    readonly transitions: {
      readonly rotate: Readonly<Record<string, Json>>;
      readonly revoke: Readonly<Record<string, Json>>;
    };
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
export type Code = "invalid_request" | "invalid_client" | "invalid_grant" | "unsupported_grant_type" | "unsupported_response_type" | "login_required" | "authorization_pending" | "access_denied" | "expired_token" | "invalid_token" | "not_found" | "wrong_state";

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
  newKey(): string | null;
  publicKey(argument1: string, argument2: string): Jwk | null;
  signed(argument1: string, argument2: string, argument3: string, argument4: Json): string | null;
  escaped(argument1: string): string | null;
};
