/**
 * What a route answers, for a component: asked when it is shown and whenever what it asks for changes, an answer that nobody waits for any more
 * is dropped, and the last one stays in sight while the next is on its way. Whoever asks anew meanwhile is heard behind the answer that is on
 * its way: it isn't given up, or a slow line whose stream begins again and again would never show one.
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
  /** When this answer was asked for, by `performance.now()`: what the stream told before is in it. 0 before there is one. */
  readonly since: number;
  /** What it is the answer to: the path with its query, while another may be asked for already. */
  readonly question: string | undefined;
  /** Asks anew. */
  again(): void;
}

interface State<Answer> {
  readonly answer?: Answer;
  readonly refused?: Refused;
  /** The path that was asked. */
  readonly of?: string;
  readonly question?: string | undefined;
  readonly since?: number;
  readonly isLoading: boolean;
}

/** @param path undefined where there is nothing to ask for yet */
export function useAnswer<Answer>(path: string | undefined, query?: QueryGiven): Answered<Answer> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<Answer>>({ isLoading: path !== undefined });
  const key = path === undefined ? undefined : path + queryText({ space: space.value, ...query });
  const known = token.value;
  const way = useRef<"idle" | "asked" | "asked again">("idle");

  useEffect(() => {
    if (path === undefined || known === undefined) return;
    const aborting = new AbortController();
    const since = performance.now();
    way.current = "asked";
    call<Answer>("GET", path, { query, signal: aborting.signal })
      .then((answer) => {
        if (!aborting.signal.aborted) setState({ answer, of: path, question: key, since, isLoading: false });
      })
      .catch((error: unknown) => {
        if (aborting.signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        // Another thing's answer beside this one's refusal would be taken for its own.
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
        if (way.current === "asked again") setRound((last) => last + 1);
        way.current = "idle";
      });
    return () => {
      aborting.abort();
      way.current = "idle";
    };
    // The key says all that the query does.
  }, [key, round, known]);

  const again = useCallback(() => {
    if (way.current === "idle") setRound((last) => last + 1);
    else way.current = "asked again";
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
