/**
 * Deliveries in progress: lets the built-in receiver find the delivery that it has just received.
 * In memory, like the claims.
 */
import type { DueDelivery } from "../../store/deliveries.ts";

export interface DeliveryInProgress {
  readonly delivery: DueDelivery;
  /** The time for which the request was built. */
  readonly nowMs: number;
  readonly url: string;
}

export interface DeliveriesInProgress {
  /** Adds a delivery. The returned function removes it when its request is finished. */
  begin(sent: DeliveryInProgress): () => void;
  /** Returns the deliveries to an address's path, under any name of its host. */
  to(path: string): readonly DeliveryInProgress[];
}

export function createDeliveriesInProgress(): DeliveriesInProgress {
  const all = new Set<DeliveryInProgress>();
  return {
    begin(sent) {
      all.add(sent);
      return () => void all.delete(sent);
    },
    to: (path) => [...all].filter(({ url }) => URL.parse(url)?.pathname === path),
  };
}
