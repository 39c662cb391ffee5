/** Negation of conditions. */
import type { Node } from "../../expressions/node.ts";
import type { Environment } from "./environment.ts";
import { type Sql, sql } from "./fragment.ts";
import { conditionOf } from "./writing.ts";

/** The opposite of a condition: true where the condition is null or false. */
export function negation(node: Node, environment: Environment): Sql {
  if (node.op === "not") return environment.compiler.dialect.isTrue(conditionOf(node.of, environment));
  return sql`(NOT ${environment.compiler.dialect.isTrue(conditionOf(node, environment))})`;
}
