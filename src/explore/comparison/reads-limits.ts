/** Responses with the rates of a caller: they depend on all earlier requests, and on real time. */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

/** Whether an expression in this part of the model reads `limits`, directly or through a shape. */
export function readsLimits(piece: unknown, model: Model): boolean {
  const shapes = shapesWithLimits(model);
  return expressionsIn(piece).some(({ expression }) =>
    [...nodesWithin(expression.node)].some(
      (node) =>
        (node.op === "fixed" && node.name === "limits") || (node.op === "shape" && shapes.has(node.shape)),
    ),
  );
}

const shapesWithLimits = memoizeBy(({ shapes }: Model): ReadonlySet<string> => {
  const reads = shapes.filter(({ body }) =>
    [...nodesWithin(body.node)].some((node) => node.op === "fixed" && node.name === "limits"),
  );
  return new Set(reads.map(({ name }) => name));
});
