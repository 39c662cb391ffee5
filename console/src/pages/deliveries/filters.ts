/** Filters of the list of deliveries in the URL, as the operations API accepts them. */
import { parameter } from "../../routing/address.ts";

const filterNames = ["state", "failed", "channel", "event", "resource", "receiver", "from", "until"] as const;

export type DeliveryFilters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** A receiver is a record: without its identifier, its resource filters nothing. */
export function filtersInAddress(): DeliveryFilters {
  const entries = filterNames.flatMap((name) => {
    const text = parameter(name);
    const isAlone = name === "resource" && parameter("receiver") === undefined;
    return text === undefined || isAlone ? [] : [[name, text] as const];
  });
  return Object.fromEntries(entries);
}

/** The filters in a request body, where booleans are not texts. */
export function filtersInBody({ failed, ...filters }: DeliveryFilters): object {
  return { ...filters, ...(failed === "true" ? { failed: true } : {}) };
}
