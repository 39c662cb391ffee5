/**
 * Requests under way: lets the built-in receiver find the delivery that it has just received. In memory, like the
 * claims.
 */
import type { DueDelivery } from "../../store/deliveries.ts";

export interface SentNow {
  readonly delivery: DueDelivery;
  /** The time for which its request was built. */
  readonly nowMs: number;
  readonly url: string;
}

export interface UnderWay {
  /** Returns a function to call when the request is finished. */
  begin(sent: SentNow): () => void;
  /** Those to an address's path, on any name of its host. */
  to(path: string): readonly SentNow[];
}

export function createUnderWay(): UnderWay {
  const all = new Set<SentNow>();
  return {
    begin(sent) {
      all.add(sent);
      return () => void all.delete(sent);
    },
    to: (path) => [...all].filter(({ url }) => URL.parse(url)?.pathname === path),
  };
}
