/** Page size, in its own file: a client that uses HTTP only then loads no engine code. */

/** Maximum page size of an operator's list. */
export const pageSizeMax = 1_000;
