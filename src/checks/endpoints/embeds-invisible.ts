/**
 * Following a reference in an expression works even if the record is invisible to the caller
 * (decision "Visible and references"). So a shape or a response that embeds a record with its own
 * `Visible` can disclose a hidden record.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { conjuncts, disjuncts, partsOfNode, someNode } from "../../expressions/nodes.ts";
import type { FieldType } from "../../fields/type.ts";
import { fullyVisibleResources } from "../../model/endpoints/fully-visible.ts";
import type { Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const embedsInvisible: Check = (model, reporter) => {
  for (const { expression, fullyVisible } of returnedBy(model)) {
    const reported = new Set<string>();
    for (const { outer, inner, path } of embeddedIn(expression.node)) {
      if (reported.has(inner) || fullyVisible.has(inner)) continue;
      // A value is visible with the record that contains it.
      const narrower = holdersOf(model, outer).find((holder) => isNarrower(model, inner, path, holder));
      if (narrower === undefined) continue;
      reported.add(inner);
      const { position } = expression;
      reporter.report("endpoints/embeds-invisible", position, { outer: narrower, inner, path });
    }
  }
};

interface Returned {
  readonly expression: Expression;
  /** Resources of which every allowed caller sees all records. */
  readonly fullyVisible: ReadonlySet<string>;
}

/** The shapes of resources, and the responses of endpoints. */
function* returnedBy(model: Model): Generator<Returned> {
  for (const { of, body } of model.shapes)
    if (of !== undefined) yield { expression: body, fullyVisible: new Set() };
  for (const endpoint of model.endpoints) {
    if (endpoint.gap || endpoint.unclear) continue;
    const fullyVisible = fullyVisibleResources(model, endpoint);
    for (const { expression, path } of expressionsIn(endpoint.returns))
      if (!path.endsWith("when")) yield { expression, fullyVisible };
  }
}

interface Embedded {
  /** The resource of the record that leads to the embedded one. */
  readonly outer: string;
  readonly inner: string;
  /** How it leads there: `this.repository`. */
  readonly path: string;
}

/**
 * Records that an expression returns in full: references that a shape is applied to.
 * @param lists what the variables of the enclosing macros stand for, by their depth
 */
function embeddedIn(node: Node, lists: readonly (Node | undefined)[] = []): Embedded[] {
  if (node.op === "macro" && node.body && node.depth !== undefined)
    return [
      ...embeddedIn(node.of, lists),
      ...embeddedIn(node.body, [...lists.slice(0, node.depth), node.of]),
    ];
  const below = partsOfNode(node).flatMap((part) => embeddedIn(part, lists));
  if (node.op !== "shape" && node.op !== "representation") return below;
  const { of } = node;
  const reference = of?.op === "local" ? lists[of.depth] : of;
  if (of?.type.kind !== "record" || reference?.op !== "field") return below;
  const outer = outermost(reference);
  const { type } = outer;
  // Callers may read what their own records refer to.
  if ((type.kind !== "record" && type.kind !== "value") || isCaller(outer)) return below;
  return [{ outer: type.resource, inner: of.type.resource, path: pathOf(reference) }, ...below];
}

function outermost(node: Node): Node {
  return node.op === "field" ? outermost(node.of) : node;
}

function isCaller(node: Node): boolean {
  return node.op === "fixed" && (node.name === "caller" || node.name === "credential");
}

function pathOf(node: Node): string {
  return node.op === "field" ? `${pathOf(node.of)}.${node.name}` : "this";
}

/**
 * Whether the inner records are hidden from some callers who can see the outer ones. Conditions
 * with equal text count as equal if they compare with the caller, and so does a condition that
 * applies the inner one to the reference: `this.repository.owner == caller`.
 */
function isNarrower(model: Model, inner: string, path: string, outer: string): boolean {
  const visibleOf = (name: string) => model.resources.find((resource) => resource.name === name)?.visible;
  const hidden = visibleOf(inner);
  if (!hidden) return false;
  const text = ({ text }: Expression) => text.replace(/\s+/g, "");
  const known = visibleOf(outer);
  if (known && text(hidden).replace(/\bthis\b/g, path) === text(known)) return false;
  return !known || text(hidden) !== text(known) || differsByRecord(hidden.node);
}

/** Whether a part of the condition reads the record alone: `this.published`. Two records of one caller can differ in it. */
function differsByRecord(node: Node): boolean {
  return disjuncts(node)
    .flatMap(conjuncts)
    .some(
      (part) =>
        someNode(part, (found) => found.op === "fixed" && found.name === "this") && !someNode(part, isCaller),
    );
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
