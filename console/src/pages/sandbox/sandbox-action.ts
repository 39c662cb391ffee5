/** State of a button's action: running, done and announced, or failed. One runs at a time. */
import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import { announce } from "../../parts/announcer.tsx";

export interface SandboxAction {
  readonly isRunning: boolean;
  readonly error: ApiError | undefined;
  /** @param work returns the announcement of what was done */
  run(work: () => Promise<string>): Promise<void>;
}

export function useSandboxAction(): SandboxAction {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ApiError>();
  return {
    isRunning,
    error,
    async run(work) {
      setRunning(true);
      setError(undefined);
      try {
        announce(await work());
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        setError(error);
      } finally {
        setRunning(false);
      }
    },
  };
}
