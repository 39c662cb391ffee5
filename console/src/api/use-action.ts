/** State of a button's action: running, done and announced, or failed. One runs at a time. */
import { useState } from "preact/hooks";
import { announce } from "../parts/announcer.tsx";
import { type ApiError, asApiError } from "./api-error.ts";

export interface Action {
  readonly isRunning: boolean;
  readonly error: ApiError | undefined;
  /** @param work returns the announcement of what was done, if there is one */
  run(work: () => Promise<string | undefined>): Promise<void>;
}

export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ApiError>();
  return {
    isRunning,
    error,
    async run(work) {
      setRunning(true);
      setError(undefined);
      try {
        const done = await work();
        if (done !== undefined) announce(done);
      } catch (error) {
        setError(asApiError(error));
      } finally {
        setRunning(false);
      }
    },
  };
}
