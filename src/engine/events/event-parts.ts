/** Which parts of `event` an expression reads: what nobody reads is not worked out. */
import type { Node } from "../../expressions/node.ts";
import type { PlanContext } from "../plan/context.ts";
import { walk } from "../plan/nodes.ts";

/** Whether the expression, or a shape in it, reads this part of `event`, or `event` as a whole. */
export function readsEvent(
  context: PlanContext,
  node: Node,
  name: string,
  seen = new Set<string>(),
): boolean {
  let reads = false;
  let whole = 0;
  walk(node, (inner) => {
    if (inner.op === "fixed" && inner.name === "event") whole += 1;
    if (
      (inner.op === "field" || inner.op === "has") &&
      inner.of.op === "fixed" &&
      inner.of.name === "event"
    ) {
      whole -= 1;
      if (inner.name === name) reads = true;
    }
    if (inner.op !== "shape" || seen.has(inner.shape)) return;
    seen.add(inner.shape);
    const body = context.meaning.shapeBody(inner.shape);
    if (body && readsEvent(context, body, name, seen)) reads = true;
  });
  return reads || whole > 0;
}
