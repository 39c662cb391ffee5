/**
 * The response of a route, for a component. The hook requests it when the component is shown and
 * when the path or query changes, and drops outdated responses. The last response stays visible
 * while the next one is loading. A repeated request waits for the running one: on a slow line, a
 * stream that restarts repeatedly would otherwise cancel every request.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, queryText, type QueryGiven } from "./call.ts";
import { Refused } from "./refused.ts";
import { space } from "./space.ts";
import { token } from "./token.ts";

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  readonly refused: Refused | undefined;
  readonly isLoading: boolean;
  /**
   * When this response was requested, by `performance.now()`: it includes all changes that the
   * stream reported before. 0 before the first response.
   */
  readonly since: number;
  /** The path and query of this response; a newer request may already be running. */
  readonly question: string | undefined;
  /** Requests the response again. */
  again(): void;
}

interface State<Answer> {
  readonly answer?: Answer;
  readonly refused?: Refused;
  /** The path of the request. */
  readonly of?: string;
  readonly question?: string | undefined;
  readonly since?: number;
  readonly isLoading: boolean;
}

/** @param path undefined while there is nothing to request */
export function useAnswer<Answer>(path: string | undefined, query?: QueryGiven): Answered<Answer> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<Answer>>({ isLoading: path !== undefined });
  const key = path === undefined ? undefined : path + queryText({ space: space.value, ...query });
  const known = token.value;
  const way = useRef<"idle" | "loading" | "stale">("idle");

  useEffect(() => {
    if (path === undefined || known === undefined) return;
    const aborting = new AbortController();
    const since = performance.now();
    way.current = "loading";
    call<Answer>("GET", path, { query, signal: aborting.signal })
      .then((answer) => {
        if (!aborting.signal.aborted) setState({ answer, of: path, question: key, since, isLoading: false });
      })
      .catch((error: unknown) => {
        if (aborting.signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        // A response to another path must not appear with this path's error.
        setState((last) => ({
          ...(last.of === path && last.answer !== undefined && error.status === 0
            ? { answer: last.answer, of: path, question: last.question, since: last.since ?? 0 }
            : {}),
          refused: error,
          isLoading: false,
        }));
      })
      .finally(() => {
        if (aborting.signal.aborted) return;
        if (way.current === "stale") setRound((last) => last + 1);
        way.current = "idle";
      });
    return () => {
      aborting.abort();
      way.current = "idle";
    };
    // The key includes the query.
  }, [key, round, known]);

  const again = useCallback(() => {
    if (way.current === "idle") setRound((last) => last + 1);
    else way.current = "stale";
  }, []);
  const isOwn = state.of === path;
  return {
    answer: isOwn ? state.answer : undefined,
    since: isOwn ? (state.since ?? 0) : 0,
    question: isOwn ? state.question : undefined,
    refused: state.refused,
    isLoading: state.isLoading,
    again,
  };
}
