/** Page size, in its own file: a client that uses HTTP only then loads no engine code. */

/** Most of a list that an operator is given at once. */
export const pageSizeMax = 1_000;
