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
    const told = new Set<string>();
    for (const { resource: inner, path } of embeddedIn(shape.body.node)) {
      if (inner === outer || told.has(inner) || !isNarrower(model, inner, path, outer)) continue;
      told.add(inner);
      reporter.report("endpoints/embeds-invisible", shape.body.position, { outer, inner, path });
    }
  }
};

interface Embedded {
  readonly resource: string;
  /** How the shape's own record leads to it: `this.repository`. */
  readonly path: string;
}

/** Records that a shape shows in full: a reference that another shape is applied to. */
function embeddedIn(node: Node): Embedded[] {
  const below = partsOfNode(node).flatMap(embeddedIn);
  if (node.op !== "shape" && node.op !== "standing") return below;
  const of = node.of;
  return of?.op === "field" && of.type.kind === "record"
    ? [{ resource: of.type.resource, path: pathOf(of) }, ...below]
    : below;
}

function pathOf(node: Node): string {
  return node.op === "field" ? `${pathOf(node.of)}.${node.name}` : node.op === "fixed" ? node.name : "?";
}

/**
 * The inner records are hidden from some who see the outer ones. Conditions of the same words are taken for equal, and so is one that
 * asks the inner one's of the reference: `this.repository.owner == caller`.
 */
function isNarrower(model: Model, inner: string, path: string, outer: string): boolean {
  const conditionOf = (name: string) =>
    model.resources.find((one) => one.name === name)?.visible?.text.replace(/\s+/g, "");
  const hidden = conditionOf(inner);
  const known = conditionOf(outer);
  return hidden !== undefined && hidden !== known && hidden.replace(/\bthis\b/g, path) !== known;
}
