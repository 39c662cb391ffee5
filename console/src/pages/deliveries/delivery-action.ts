/** An action on deliveries. An error is shown next to its button, and success is announced. */
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { ApiError } from "../../api/api-error.ts";

export interface DeliveryAction {
  readonly error: ApiError | undefined;
  readonly isRunning: boolean;
  /** @param then receives the response after success */
  post<Answer>(path: string, body: object, then?: (answer: Answer) => void): Promise<void>;
}

export function useDeliveryAction(): DeliveryAction {
  const [error, setError] = useState<ApiError>();
  const [isRunning, setRunning] = useState(false);
  return {
    error,
    isRunning,
    async post(path, body, then) {
      setRunning(true);
      try {
        const answer = await call("POST", path, { body });
        setError(undefined);
        then?.(answer as never);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        setError(error);
      } finally {
        setRunning(false);
      }
    },
  };
}
