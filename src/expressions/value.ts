/**
 * Run-time values of expressions. The static type says how a value is read:
 *
 * - string, enum, uuid, email, uri, password, credential: a string
 * - integer, number: a number (integers within ±(2^53−1))
 * - decimal: a string as it was written, `"12.50"`, without leading zeros; equal by value
 * - boolean
 * - timestamp: a string of exactly this form, `2026-11-20T10:00:00.000Z`, so that text order is
 * time order
 * - date: `2026-11-20`; duration: a number of milliseconds; bytes: Uint8Array
 * - list: an array; map, object, value: a plain object without a prototype
 * - record: a `RecordValue` for a name (`this`, `caller`, `hook`), the key (`key.ts`) for a
 * reference field.
 *   `compiling/identifier.ts` makes both the same.
 */
export type Value = null | boolean | number | string | Uint8Array | readonly Value[] | ObjectValue;

/** A value with named members: an object, a map or a record. */
export interface ObjectValue {
  readonly [part: string]: Value;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is ObjectValue {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** The value at a path of nested names. Undefined if it doesn't exist. */
export function partAt(value: Value | undefined, names: readonly string[]): Value | undefined {
  let part = value;
  for (const name of names) {
    if (part === undefined || !isObject(part)) return undefined;
    part = part[name];
  }
  return part;
}

/**
 * A record as the store returns it: its stored fields by name, without computed ones. `#row` is the
 * order of creation, and `#revision` the number of its changes. No field can have these names.
 */
export interface RecordValue {
  readonly "#row": number;
  readonly "#revision": number;
  readonly [field: string]: Value;
}

/** A record that is being created. */
export interface RecordDraft {
  "#row": number;
  "#revision": number;
  [field: string]: Value;
}

/** Everything that an expression may read. Each request, event or timer has a frame; copies (`with…`) share unchanged members. */
export interface Frame {
  this: Value;
  old: Value;
  caller: Value;
  credential: Value;
  body: Value;
  query: Value;
  path: Value;
  headers: Value;
  request: Value;
  /** A timestamp. */
  now: string;
  service: Value;
  page: Value;
  event: Value;
  delivery: Value;
  error: Value;
  limits: Value;
  /** Records of the path, `Let`, `as`, `created`, the webhook's record. No prototype. */
  named: Record<string, Value>;
  /** Variables of macros and of `for`, by depth. */
  locals: Value[];
  readonly parameters: QueryParameters;
  /** Cursor values of a list, the record's `#row` last; see `RecordsQuery.seek`. */
  cursor: readonly Value[];
  ports: ExpressionPorts;
}

/**
 * Values that the engine binds to its prepared queries (`parameters.ts`). No expression of a document
 * can name them.
 */
export interface QueryParameters {
  readonly row?: number;
  /** The key of a record, of a single field or as one text. */
  readonly identifier?: Value;
  /** The lower-case text that an operator searches for. */
  readonly containing?: string;
  /** The record of an event, where `this` is a receiver. */
  readonly subject?: Value;
  /** `shown once` values that the response reveals, by name and field. */
  readonly onceValues?: Readonly<Record<string, string>>;
  /** The path parameter that selects the record, by the type of its field. */
  readonly path?: Value;
  readonly [filter: `filter ${string}`]: Value;
  /** The value that a field of the record must have. */
  readonly [field: `field ${string}`]: Value;
}

/** External dependencies of functions: randomness and keys. The engine provides them. */
export interface ExpressionPorts {
  /** Unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  /** Milliseconds since 1970. */
  now(): number;
  /** `token(record)`: a signed token for a record of this resource. */
  token(resource: string, record: RecordValue): string;
  /**
   * `verify(this.password, text)`.
   * @param account the account name that the caller states, whether or not a record has it
   */
  verifyPassword(stored: string, text: string, account?: string): boolean;
  /** The keyed fast hash under which a credential is stored. */
  hashCredential(text: string): string;
  /** The slow salted hash under which a password is stored. */
  hashPassword(text: string): string;
  /** Functions of the handlers' module, by name. Absent without a module. */
  readonly functions?: Readonly<Record<string, (...args: readonly Value[]) => Value | undefined>>;
}
