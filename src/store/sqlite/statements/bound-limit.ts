/**
 * A `LIMIT` with a bound number, as an expression.
 *
 * SQLite plans by the value of a bare `LIMIT ?`. It parses and plans the statement again whenever
 * the value is bound, even if it is the same: a page of 20 took four times as long. It ignores a
 * computed value.
 */
export const boundLimit = "LIMIT (? + 0)";
