/** An action on deliveries. An error is shown next to its button, and success is announced. */
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { Refused } from "../../api/refused.ts";

export interface Doing {
  readonly refused: Refused | undefined;
  readonly isDoing: boolean;
  /** @param then receives the response after success */
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
