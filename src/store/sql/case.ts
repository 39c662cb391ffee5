/**
 * Case sensitivity of comparisons: which texts ignore ASCII case, and which compare exactly
 * although a column in the same comparison ignores case.
 */
import { isAnyCase as isAnyCaseField } from "../../expressions/any-case.ts";
import type { Node } from "../../expressions/node.ts";
import type { Sql } from "./fragment.ts";
import type { Environment } from "./environment.ts";
import { isText } from "../../expressions/type.ts";
import type { Vocabulary } from "../../expressions/scope.ts";

/** Nodes whose values come from a column, or are known. All others compute a value. */
const atHandOrStored: ReadonlySet<Node["op"]> = new Set([
  "literal",
  "fixed",
  "named",
  "parameter",
  "local",
  "field",
  "index",
]);

/**
 * Gives a text its own case sensitivity.
 *
 * A variable may be a column that ignores case (`names.map(x, x.nick).filter(y, y == "ab")`), and
 * so may the result of `string` and a computed field. Their values are plain texts, so the column's
 * collation must not apply. Neither must that of a comparison inside the text, which SQLite
 * propagates (`CASE WHEN a = b COLLATE NOCASE THEN …`).
 */
export function withOwnCase(node: Node, value: Sql, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const isMade = !atHandOrStored.has(node.op);
  return isText(node.type) && (isMade || mayBeColumn(node, meaning.vocabulary))
    ? dialect.exactCase(value, "text")
    : value;
}

function mayBeColumn(node: Node, words: Vocabulary): boolean {
  if (node.op === "local") return true;
  if (node.op === "call") return node.function === "string";
  if (node.op !== "field") return false;
  const { type } = node.of;
  if (type.kind !== "record" && type.kind !== "value") return false;
  return words.resource(type.resource)?.fields.get(node.name)?.computed === true;
}

/** Whether the operand is a field that ignores ASCII case. */
export function isAnyCase(node: Node, environment: Environment): boolean {
  return isAnyCaseField(node, environment.compiler.meaning.vocabulary);
}
