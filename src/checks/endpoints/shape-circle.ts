/** Part 4, shapes: a shape that contains itself would never end. */
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import { cyclesIn } from "../../support/cycles.ts";
import type { Shape } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const shapeCircle: Check = ({ shapes }, reporter) => {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]));
  for (const names of cyclesIn(new Map(shapes.map((shape) => [shape.name, shapesWithin(shape)])))) {
    const first = byName.get(names[0] ?? "");
    if (first) reporter.report("endpoints/shape-circle", first.position, { names });
  }
};

function shapesWithin({ body }: Shape): ReadonlySet<string> {
  return new Set([...nodesWithin(body.node)].flatMap((node) => (node.op === "shape" ? [node.shape] : [])));
}
