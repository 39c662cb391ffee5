/**
 * The response of a route, for a component. The hook requests it when the component is shown and
 * when the path or query changes, and drops outdated responses. The last response stays visible
 * while the next one is loading. A repeated request waits for the running one: on a slow line, a
 * stream that restarts repeatedly would otherwise cancel every request.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, queryText, type QueryParameters } from "./call.ts";
import { ApiError } from "./api-error.ts";
import { space } from "./space.ts";
import { token } from "./token.ts";

export interface AnswerState<Answer> {
  readonly answer: Answer | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /**
   * When this response was requested, by `performance.now()`: it includes all changes that the
   * stream reported before. 0 before the first response.
   */
  readonly since: number;
  /** The path and query of this response; a newer request may already be running. */
  readonly requestKey: string | undefined;
  /** Requests the response again. */
  again(): void;
}

interface State<Answer> {
  readonly answer?: Answer;
  readonly error?: ApiError;
  /** The path of the request. */
  readonly of?: string;
  readonly requestKey?: string | undefined;
  readonly since?: number;
  readonly isLoading: boolean;
}

/** @param path undefined while there is nothing to request */
export function useAnswer<Answer>(path: string | undefined, query?: QueryParameters): AnswerState<Answer> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<Answer>>({ isLoading: path !== undefined });
  const key = path === undefined ? undefined : path + queryText({ space: space.value, ...query });
  const currentToken = token.value;
  const loadState = useRef<"idle" | "loading" | "stale">("idle");

  useEffect(() => {
    if (path === undefined || currentToken === undefined) return;
    const controller = new AbortController();
    const since = performance.now();
    loadState.current = "loading";
    call<Answer>("GET", path, { query, signal: controller.signal })
      .then((answer) => {
        if (!controller.signal.aborted)
          setState({ answer, of: path, requestKey: key, since, isLoading: false });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        // A response to another path must not appear with this path's error.
        setState((last) => ({
          ...(last.of === path && last.answer !== undefined && error.status === 0
            ? { answer: last.answer, of: path, requestKey: last.requestKey, since: last.since ?? 0 }
            : {}),
          error,
          isLoading: false,
        }));
      })
      .finally(() => {
        if (controller.signal.aborted) return;
        if (loadState.current === "stale") setRound((last) => last + 1);
        loadState.current = "idle";
      });
    return () => {
      controller.abort();
      loadState.current = "idle";
    };
    // The key includes the query.
  }, [key, round, currentToken]);

  const again = useCallback(() => {
    if (loadState.current === "idle") setRound((last) => last + 1);
    else loadState.current = "stale";
  }, []);
  const isOwn = state.of === path;
  return {
    answer: isOwn ? state.answer : undefined,
    since: isOwn ? (state.since ?? 0) : 0,
    requestKey: isOwn ? state.requestKey : undefined,
    error: state.error,
    isLoading: state.isLoading,
    again,
  };
}
