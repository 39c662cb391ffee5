/** `Deliveries: kept 3 days` (part 6): then each delivery is also a record, of this resource. */
import type { Model } from "./model.ts";

const resourceName = "Delivery";

/** Undefined where deliveries aren't kept as records; a `Delivery` is then a resource like any other. */
export function deliveryResourceOf({ events, resources }: Model): string | undefined {
  const isKept = events.deliveriesKeptMs !== undefined && resources.some(({ name }) => name === resourceName);
  return isKept ? resourceName : undefined;
}
