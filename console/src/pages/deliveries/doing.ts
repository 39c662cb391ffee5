/** Something done to deliveries: what was refused of it is shown where it was asked for, and what was done is said. */
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { Refused } from "../../api/refused.ts";

export interface Doing {
  readonly refused: Refused | undefined;
  readonly isDoing: boolean;
  /** @param then told what was answered, where it was done */
  post<Answer>(path: string, body: object, then?: (answer: Answer) => void): Promise<void>;
}

export function useDoing(): Doing {
  const [refused, setRefused] = useState<Refused>();
  const [isDoing, setDoing] = useState(false);
  return {
    refused,
    isDoing,
    async post(path, body, then) {
      setDoing(true);
      try {
        const answer = await call("POST", path, { body });
        setRefused(undefined);
        then?.(answer as never);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        setRefused(error);
      } finally {
        setDoing(false);
      }
    },
  };
}
