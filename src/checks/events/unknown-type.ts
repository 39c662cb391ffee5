/** Part 6: `event.type` is compared with a name that no event has, so the condition is constant. */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import { nearest } from "../../support/nearest.ts";
import type { Check } from "../check.ts";

export const unknownType: Check = (model, reporter) => {
  const names = model.events.events.map(({ name }) => name);
  // Without any event, the reading of part 6 reports the comparison.
  if (names.length === 0) return;
  const reported = new Set<unknown>();
  for (const { expression } of expressionsIn(model)) {
    if (reported.has(expression)) continue;
    reported.add(expression);
    for (const name of new Set(comparedWith(expression.node)))
      if (!names.includes(name))
        reporter.report("events/unknown-type", expression.position, { name, nearest: nearest(name, names) });
  }
};

/** The texts that `event.type` is compared with, anywhere in the expression. */
function comparedWith(node: Node): readonly string[] {
  const inside = partsOfNode(node).flatMap(comparedWith);
  if (node.op !== "binary") return inside;
  const { operator, left, right } = node;
  if (operator === "in") return isType(left) ? [...texts(right), ...inside] : inside;
  if (operator !== "==" && operator !== "!=") return inside;
  return [...(isType(left) ? texts(right) : isType(right) ? texts(left) : []), ...inside];
}

function isType(node: Node): boolean {
  return node.op === "field" && node.name === "type" && node.of.op === "fixed" && node.of.name === "event";
}

function texts(node: Node): readonly string[] {
  if (node.op === "list") return node.items.flatMap(texts);
  return node.op === "literal" && typeof node.value === "string" ? [node.value] : [];
}
