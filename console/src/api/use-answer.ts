/**
 * What a route answers, for a component: asked when it is shown and whenever what it asks for changes, an answer that nobody waits for any more
 * is dropped, and the last one stays in sight while the next is on its way.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import { call, queryText, type QueryGiven } from "./call.ts";
import { Refused } from "./refused.ts";
import { space } from "./space.ts";
import { token } from "./token.ts";

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  readonly refused: Refused | undefined;
  readonly isLoading: boolean;
  /** When this answer was asked for, by `performance.now()`: what the stream told before is in it. 0 before there is one. */
  readonly since: number;
  /** Asks anew. */
  again(): void;
}

interface State<Answer> {
  readonly answer?: Answer;
  readonly refused?: Refused;
  /** The path that was asked. */
  readonly of?: string;
  readonly since?: number;
  readonly isLoading: boolean;
}

/** @param path undefined where there is nothing to ask for yet */
export function useAnswer<Answer>(path: string | undefined, query?: QueryGiven): Answered<Answer> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<Answer>>({ isLoading: path !== undefined });
  const key = path === undefined ? undefined : path + queryText({ space: space.value, ...query });
  const known = token.value;

  useEffect(() => {
    if (path === undefined || known === undefined) return;
    const aborting = new AbortController();
    const since = performance.now();
    setState((last) => ({ ...last, isLoading: true }));
    call<Answer>("GET", path, { query, signal: aborting.signal })
      .then((answer) => setState({ answer, of: path, since, isLoading: false }))
      .catch((error: unknown) => {
        if (aborting.signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        // Another thing's answer beside this one's refusal would be taken for its own.
        setState((last) => ({
          ...(last.of === path && last.answer !== undefined && error.status === 0
            ? { answer: last.answer, of: path, since: last.since ?? 0 }
            : {}),
          refused: error,
          isLoading: false,
        }));
      });
    return () => aborting.abort();
    // The key says all that the query does.
  }, [key, round, known]);

  const again = useCallback(() => setRound((last) => last + 1), []);
  const isOwn = state.of === path;
  return {
    answer: isOwn ? state.answer : undefined,
    since: isOwn ? (state.since ?? 0) : 0,
    refused: state.refused,
    isLoading: state.isLoading,
    again,
  };
}
