/** The names that only a request brings: of an operator's change nobody knows them. */
import type { FixedName } from "../../expressions/node.ts";

export const ofRequest = (
  ["caller", "credential", "body", "query", "path", "headers", "request"] satisfies FixedName[]
).map((name) => ({ name }));
