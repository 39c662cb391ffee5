/** State of a button's action: running, done and announced, or failed. One runs at a time. */
import { useState } from "preact/hooks";
import { Refused } from "../../api/refused.ts";
import { announce } from "../../parts/announcer.tsx";

export interface Doing {
  readonly isUnderWay: boolean;
  readonly refused: Refused | undefined;
  /** @param work returns the announcement of what was done */
  begin(work: () => Promise<string>): Promise<void>;
}

export function useDoing(): Doing {
  const [isUnderWay, setUnderWay] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  return {
    isUnderWay,
    refused,
    async begin(work) {
      setUnderWay(true);
      setRefused(undefined);
      try {
        announce(await work());
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        setRefused(error);
      } finally {
        setUnderWay(false);
      }
    },
  };
}
