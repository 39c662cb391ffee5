/** Negation of conditions. */
import type { Node } from "../../expressions/node.ts";
import type { Environment } from "./environment.ts";
import { type Sql, sql } from "./fragment.ts";
import { isTrue } from "./standard-dialect.ts";
import { conditionOf } from "./writing.ts";

/** The opposite of a condition: true where the condition is null or false. */
export function negation(node: Node, environment: Environment): Sql {
  if (node.op === "not") return isTrue(conditionOf(node.of, environment));
  return sql`(NOT ${isTrue(conditionOf(node, environment))})`;
}
