/**
 * Decision 10: following a reference in an expression still works where the record it leads to is invisible to the
 * caller. So a shape that embeds a record with a `Visible` of its own can show what would otherwise be hidden.
 */
import type { Node } from "../expressions/node.ts";
import { partsOfNode } from "../expressions/nodes.ts";
import type { Model } from "../model/model.ts";
import type { Check } from "./check.ts";

export const embedsInvisible: Check = (model, reporter) => {
  for (const shape of model.shapes) {
    const outer = shape.of;
    if (outer === undefined) continue;
    for (const inner of new Set(embeddedIn(shape.body.node))) {
      if (inner === outer || !isNarrower(model, inner, outer)) continue;
      reporter.report("endpoints/embeds-invisible", shape.body.position, { outer, inner });
    }
  }
};

/** Resources whose records a shape shows in full: a reference that another shape is applied to. */
function embeddedIn(node: Node): string[] {
  const below = partsOfNode(node).flatMap(embeddedIn);
  if (node.op !== "shape" && node.op !== "standing") return below;
  const of = node.of;
  return of?.op === "field" && of.type.kind === "record" ? [of.type.resource, ...below] : below;
}

/** The inner records are hidden from some who see the outer ones. Two conditions of the same words are taken for equal. */
function isNarrower(model: Model, inner: string, outer: string): boolean {
  const conditionOf = (name: string) =>
    model.resources.find((one) => one.name === name)?.visible?.text.replace(/\s+/g, "");
  return conditionOf(inner) !== undefined && conditionOf(inner) !== conditionOf(outer);
}
