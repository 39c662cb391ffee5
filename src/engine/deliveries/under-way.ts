/** Which requests to webhooks are on their way: a receiver of our own asks for what it has just been sent. In memory, as the claims are. */
import type { DueDelivery } from "../../store/deliveries.ts";

export interface SentNow {
  readonly delivery: DueDelivery;
  /** For what time its request was made. */
  readonly nowMs: number;
  readonly url: string;
}

export interface UnderWay {
  /** The answer tells that it is over. */
  begin(sent: SentNow): () => void;
  /** Those to an address's path, on whatever name of its host. */
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
