/** Request names: names that only a request binds. They have no value in an operator's change. */
import type { FixedName } from "../../expressions/node.ts";

export const requestNames = (
  ["caller", "credential", "body", "query", "path", "headers", "request"] satisfies FixedName[]
).map((name) => ({ name }));
