/**
 * A `LIMIT` whose number is bound. The bare `LIMIT ?` makes SQLite look at the number to plan by, and so parse and plan the statement anew
 * whenever it is bound, be it to the same: a page of 20 took four times as long. What is worked out it doesn't look at.
 */
export const boundLimit = "LIMIT (? + 0)";
