/** An action on deliveries. An error is shown next to its button, and success is announced. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { state } from "../../state.ts";

export interface DeliveryAction {
  readonly error: ApiError | undefined;
  readonly isRunning: boolean;
  /** @param then receives the response after success */
  post<Answer>(path: string, body: object, then?: (answer: Answer) => void): Promise<void>;
}

/** How many actions succeeded: the list and the detail show the same receiver. */
const succeeded = state(0);

/** Calls back after each action, wherever on the page it was started. */
export function useAfterActions(again: () => void): void {
  useEffect(() => succeeded.subscribe(again), [again]);
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
        succeeded.value += 1;
        then?.(answer as never);
      } catch (error) {
        setError(asApiError(error));
      } finally {
        setRunning(false);
      }
    },
  };
}
