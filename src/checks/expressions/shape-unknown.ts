/**
 * Parts 6 and 7, unknown names in shapes: a shape may name the event, its delivery or the error.
 * Where those are unknown they are silently null. Names in the expression itself are checked when
 * it is bound; this checks the shapes that it uses.
 */
import { bodyOf } from "../../expressions/analysis/bodies.ts";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const shapeNamesUnknown: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  for (const { expression, path } of expressionsIn(model)) {
    // A shape is checked where it is used.
    if (path.startsWith("shapes.")) continue;
    const isKnown = knownAt(path);
    for (const { shape, name } of namesOfShapes(expression.node, meaning))
      if (!isKnown(name)) reporter.report("expressions/shape-unknown", expression.position, { shape, name });
  }
};

/** Which of the names `event.id`, `event`, `delivery`, `error` are known in an expression of the model. */
function knownAt(path: string): (name: string) => boolean {
  const [, known] = places.find(([pattern]) => pattern.test(path)) ?? [];
  return (name) => known?.test(name) === true;
}

const logged = "event(?!\\.(?:changes|deliveries)$)";

/** Paths in the model to an expression, with the names that are known there. In all other expressions none is known. */
const places: readonly (readonly [RegExp, RegExp])[] = [
  [/^endpoints\.stream\.sends\./, new RegExp(`^${logged}`)],
  [/^events\.events\.payload$/, /^event(?!\.payload$)/],
  [/^events\.(?:headers|mediaTypes|requests|signature)\./, new RegExp(`^(?:${logged}|delivery)`)],
  [/^events\./, /^event/],
  [/^resources\.(?:identifier\.by|fields\.rules\.on (?:create|update)\.value)$/, /^(?:event|delivery)/],
  [/^errors\./, /^error/],
];

const checkedNames: ReadonlySet<string> = new Set(["event", "delivery", "error"]);

interface NameOfShape {
  readonly shape: string;
  readonly name: string;
}

/** The names that the used shapes of an expression read, each once. */
function namesOfShapes(node: Node, meaning: Meaning): readonly NameOfShape[] {
  const found = new Map<string, NameOfShape>();
  const visit = (node: Node, shape: string | undefined): void => {
    const name = shape === undefined ? undefined : nameOf(node);
    if (name !== undefined && shape !== undefined) {
      found.set(`${shape} ${name}`, { shape, name });
      return;
    }
    for (const part of partsOfNode(node)) visit(part, shape);
    const inside = node.op === "shape" ? node.shape : undefined;
    if (inside === undefined || entered.has(inside)) return;
    entered.add(inside);
    const body = bodyOf(node, meaning);
    if (body) visit(body, inside);
  };
  const entered = new Set<string>();
  visit(node, undefined);
  return [...found.values()];
}

function nameOf(node: Node): string | undefined {
  if (node.op === "fixed") return checkedNames.has(node.name) ? node.name : undefined;
  if (node.op !== "field" || node.of.op !== "fixed" || !checkedNames.has(node.of.name)) return undefined;
  return `${node.of.name}.${node.name}`;
}
