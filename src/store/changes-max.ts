/** Most records that one request may touch, and so the most that one delete may take along or change. */
export const changesMax = 100_000;
