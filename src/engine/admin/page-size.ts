/** Page size, in a file of its own: a client that uses only HTTP then loads no engine code. */

/** Maximum page size of an operator's list. */
export const pageSizeMax = 1_000;
