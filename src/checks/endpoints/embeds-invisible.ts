/**
 * Following a reference in an expression works even if the record is invisible to the caller
 * (decision "Visible and references"). So a shape that embeds a record with its own `Visible` can
 * disclose a hidden record.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const embedsInvisible: Check = (model, reporter) => {
  for (const shape of model.shapes) {
    const outer = shape.of;
    if (outer === undefined) continue;
    const reported = new Set<string>();
    for (const { resource: inner, path } of embeddedIn(shape.body.node)) {
      if (inner === outer || reported.has(inner)) continue;
      // A value is visible with the record that contains it.
      const narrower = holdersOf(model, outer).find((holder) => isNarrower(model, inner, path, holder));
      if (narrower === undefined) continue;
      reported.add(inner);
      reporter.report("endpoints/embeds-invisible", shape.body.position, { outer: narrower, inner, path });
    }
  }
};

interface Embedded {
  readonly resource: string;
  /** How the record of the shape leads to the embedded record: `this.repository`. */
  readonly path: string;
}

/** Records that a shape returns in full: a reference that another shape is applied to. */
function embeddedIn(node: Node): Embedded[] {
  const below = partsOfNode(node).flatMap(embeddedIn);
  if (node.op !== "shape" && node.op !== "representation") return below;
  const of = node.of;
  return of?.op === "field" && of.type.kind === "record"
    ? [{ resource: of.type.resource, path: pathOf(of) }, ...below]
    : below;
}

function pathOf(node: Node): string {
  return node.op === "field" ? `${pathOf(node.of)}.${node.name}` : node.op === "fixed" ? node.name : "?";
}

/**
 * Whether the inner records are hidden from some callers who can see the outer ones. Conditions
 * with equal text count as equal, and so does a condition that applies the inner one to the
 * reference: `this.repository.owner == caller`.
 */
function isNarrower(model: Model, inner: string, path: string, outer: string): boolean {
  const conditionOf = (name: string) =>
    model.resources.find((resource) => resource.name === name)?.visible?.text.replace(/\s+/g, "");
  const hidden = conditionOf(inner);
  const known = conditionOf(outer);
  return hidden !== undefined && hidden !== known && hidden.replace(/\bthis\b/g, path) !== known;
}

/** The resource itself. For a value: the resources that have it in a field, or in another value. */
function holdersOf(model: Model, name: string, known = new Set<string>()): readonly string[] {
  if (model.resources.find((resource) => resource.name === name)?.identifier.kind !== "none") return [name];
  if (known.has(name)) return [];
  known.add(name);
  return model.resources
    .filter((resource) => resource.fields.some((field) => holds(field.type, name)))
    .flatMap((resource) => holdersOf(model, resource.name, known));
}

function holds(type: FieldType, value: string): boolean {
  switch (type.kind) {
    case "value":
      return type.resource === value;
    case "list":
    case "map":
      return holds(type.of, value);
    case "object":
      return type.parts.some((part) => holds(part.type, value));
    default:
      return false;
  }
}
