/**
 * A `LIMIT` with a bound number. SQLite plans by the value of a bare `LIMIT ?`. So it parses and
 * plans the statement again whenever it is bound, even to the same value: a page of 20 took four
 * times as long. It ignores a computed value.
 */
export const boundLimit = "LIMIT (? + 0)";
