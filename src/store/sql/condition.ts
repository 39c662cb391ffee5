/**
 * Conditions in SQL.
 *
 * Where only truth matters (a WHERE, an operand of `&&`), the SQL may be null for false, so that `a
 * = ?` can use an index. Where a value is needed, it becomes true or false.
 */
import type { Node } from "../../expressions/node.ts";
import { mustBeSql } from "./facts.ts";
import { bound } from "./bound.ts";
import type { Environment } from "./environment.ts";
import { type Sql, sql } from "./fragment.ts";
import { formOf } from "./form.ts";
import { isMacroCondition, macroCondition } from "./macros.ts";
import { comparison, isComparison } from "./operators.ts";
import { sqlOf, conditionOf } from "./writing.ts";
import { negation } from "./negation.ts";

/** Writes a condition in which null counts as false. */
export function writeCondition(node: Node, environment: Environment): Sql {
  if (!mustBeSql(node, environment)) return boundCondition(node, environment);
  switch (node.op) {
    case "and":
      return sql`(${conditionOf(node.left, environment)} AND ${conditionOf(node.right, environment)})`;
    case "or":
      return sql`(${conditionOf(node.left, environment)} OR ${conditionOf(node.right, environment)})`;
    case "not":
      return negation(node.of, environment);
    case "binary":
      if (isComparison(node)) return comparison(node, environment);
      break;
    case "macro":
      if (isMacroCondition(node)) return macroCondition(node, environment);
      break;
    case "if": {
      const condition = conditionOf(node.condition, environment);
      return sql`CASE WHEN ${condition} THEN ${conditionOf(node.then, environment)} ELSE ${conditionOf(node.else, environment)} END`;
    }
  }
  return plainCondition(node, environment);
}

function boundCondition(node: Node, environment: Environment): Sql {
  if (node.op === "literal") return sql`${node.value === true ? "TRUE" : "FALSE"}`;
  return plain(bound(node, environment), node, environment);
}

function plainCondition(node: Node, environment: Environment): Sql {
  return plain(sqlOf(node, environment), node, environment);
}

/** A condition from a value. For a value of unknown type, only `true` itself is true. */
function plain(value: Sql, node: Node, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const form = formOf(node.type, meaning.vocabulary);
  if (form === "boolean") return value;
  return form === "any" ? sql`(${value} = ${dialect.literal("true", "text")})` : sql`FALSE`;
}
