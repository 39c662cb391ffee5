/** What of the address narrows the list of deliveries, as the operations API takes it. */
import { parameter } from "../../routing/address.ts";

const filterNames = ["state", "failed", "channel", "event", "resource", "receiver", "from", "until"] as const;

export type DeliveryFilters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export function filtersSaid(): DeliveryFilters {
  const said = filterNames.flatMap((name) => {
    const text = parameter(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(said);
}

/** The same in a body, where yes and no are no texts. */
export function filtersInBody({ failed, ...filters }: DeliveryFilters): object {
  return { ...filters, ...(failed === "true" ? { failed: true } : {}) };
}
