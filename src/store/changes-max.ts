/** The maximum number of records that one request, and so one delete, may change. */
export const changesMax = 100_000;
