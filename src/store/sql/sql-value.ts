/** A value as databases take and return it. */

/** What a database takes as a parameter. */
export type SqlValue = null | number | bigint | string | Uint8Array;
