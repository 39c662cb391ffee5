/** Case of texts (`any case`): which values are compared without ASCII case. */
import type { Node } from "./node.ts";
import type { Vocabulary } from "./scope.ts";

/** Whether a node is compared without case: a field with the rule, or a record that such a field identifies. */
export function isAnyCase(node: Node, words: Vocabulary): boolean {
  if (node.type.kind === "record") return isIdentifiedAnyCase(node.type.resource, words);
  if (node.op !== "field" || (node.of.type.kind !== "record" && node.of.type.kind !== "value")) return false;
  return words.resource(node.of.type.resource)?.fields.get(node.name)?.anyCase === true;
}

function isIdentifiedAnyCase(name: string, words: Vocabulary): boolean {
  const resource = words.resource(name);
  const [only, ...others] = resource?.identifier ?? [];
  return only !== undefined && others.length === 0 && resource?.fields.get(only)?.anyCase === true;
}

const keepingElements: ReadonlySet<string> = new Set(["filter", "sort", "distinct"]);

/**
 * Whether the elements of a list are compared without case: references to records that a field with
 * the rule identifies, and the values of such a field in a literal or in `map`.
 */
export function hasAnyCaseElements(node: Node, words: Vocabulary): boolean {
  if (node.type.kind === "list" && node.type.of.kind === "record")
    return isIdentifiedAnyCase(node.type.of.resource, words);
  if (node.op === "list") return node.items.some((item) => isAnyCase(item, words));
  if (node.op !== "macro") return false;
  if (node.macro === "map") return node.body !== undefined && isAnyCase(node.body, words);
  return keepingElements.has(node.macro) && hasAnyCaseElements(node.of, words);
}
