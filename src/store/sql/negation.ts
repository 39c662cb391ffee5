/** What a condition is not. */
import type { Node } from "../../expressions/node.ts";
import type { Environment } from "./environment.ts";
import { type Sql, sql } from "./fragment.ts";
import { conditionOf } from "./writing.ts";

/** The opposite of a condition: where that is null or false, true. */
export function negation(node: Node, environment: Environment): Sql {
  if (node.op === "not") return environment.compiler.dialect.isTrue(conditionOf(node.of, environment));
  return sql`(NOT ${environment.compiler.dialect.isTrue(conditionOf(node, environment))})`;
}
