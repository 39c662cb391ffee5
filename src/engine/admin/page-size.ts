/** Of a file of its own, so that whoever only asks over HTTP needn't load what answers. */

/** Most of a list that an operator is given at once. */
export const pageSizeMax = 1_000;
