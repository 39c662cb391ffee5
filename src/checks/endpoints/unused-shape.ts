/**
 * Unused shapes: a shape that no response uses has no effect. If its name was meant elsewhere, the
 * response has a different content.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { LedgerEntry } from "../../model/model.ts";
import type { ItemName } from "../../syntax/nodes.ts";
import type { Check } from "../check.ts";

/** Expressions that may name shapes. Where they are unknown, any shape may be used. */
const naming: readonly ItemName[] = [
  "methods",
  "payload shapes",
  "events",
  "webhooks",
  "payload shape",
  "error codes",
];

export const unusedShape: Check = (model, reporter) => {
  const isStated = ({ answer, smallerGaps }: LedgerEntry) =>
    (answer === "stated" || answer === "none") && smallerGaps.length === 0;
  if (model.ledger.some((entry) => naming.includes(entry.item) && !isStated(entry))) return;
  const { shapes, ...withoutShapes } = model;
  const used = new Set(shapesIn(withoutShapes));
  for (const { payload } of model.errors.rows) if (payload !== undefined) used.add(payload);
  // A shape with the name of a resource is used wherever that resource's records are returned.
  for (const { name } of model.resources) used.add(name);
  // A shape within a used shape is used, too. Used shapes are traversed as they are found.
  const bodies = new Map(shapes.map(({ name, body }) => [name, body]));
  for (const name of used) for (const inner of shapesIn(bodies.get(name))) used.add(inner);
  for (const { name, of, position } of shapes)
    if (!used.has(name))
      reporter.report("endpoints/unused-shape", position, { name, ...(of === undefined ? {} : { of }) });
  for (const { name, position, isUsed } of model.shapeFunctions)
    if (!isUsed) reporter.report("endpoints/unused-shape", position, { name });
};

function shapesIn(piece: unknown): readonly string[] {
  return expressionsIn(piece).flatMap(({ expression }) =>
    [...nodesWithin(expression.node)].flatMap((node) => (node.op === "shape" ? [node.shape] : [])),
  );
}
