/** Values that databases accept and return. */

/** A value that a database accepts as a parameter. */
export type SqlValue = null | number | bigint | string | Uint8Array;
