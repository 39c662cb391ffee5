/** `Deliveries: kept 3 days` (part 6): each delivery is then also a record of this resource. */
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Model, Resource } from "../model.ts";

const resourceName = "Delivery";

/** The resource that stores deliveries. Undefined if deliveries aren't stored; a `Delivery` is then an ordinary resource. */
export function deliveryResourceOf({ events, resources }: Model): string | undefined {
  const isRetained =
    events.deliveriesKeptMs !== undefined && resources.some(({ name }) => name === resourceName);
  return isRetained ? resourceName : undefined;
}

/**
 * Whether an `on update` is evaluated only at attempts: in a `Delivery`, an expression that reads
 * the event, the attempt or the webhook, which aren't available elsewhere.
 */
export function isOfAttempts(onUpdate: Node, { name }: Resource, model: Model): boolean {
  if (name !== deliveryResourceOf(model)) return false;
  return someNode(
    onUpdate,
    (node) =>
      node.op === "named" || (node.op === "fixed" && (node.name === "event" || node.name === "delivery")),
  );
}
