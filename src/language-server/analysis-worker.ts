/**
 * The thread that analyses documents: it compiles each state once, keeps the newest state of each
 * document, and answers questions about it.
 */
import { parentPort } from "node:worker_threads";
import { type Analysis, analyse } from "./analysis.ts";
import { answerers } from "./answer.ts";
import type { Method, Requests, ThreadAnswer, ThreadRequest } from "./requests.ts";

/** Documents of which an analysis is kept; an older one is compiled again when it is needed. */
const keptMax = 8;

/** By URI, the least recently used first; undefined where a file is no specification. */
const analyses = new Map<string, { readonly version: number; readonly analysis: Analysis | undefined }>();
const texts = new Map<string, { readonly version: number; readonly text: string }>();

parentPort?.on("message", (request: ThreadRequest) => {
  if (request.kind === "close") {
    analyses.delete(request.uri);
    texts.delete(request.uri);
    return;
  }
  const { id, method, params, state } = request;
  if (state.text !== undefined) texts.set(state.uri, { version: state.version, text: state.text });
  const analysis = analysed(state.uri);
  const message: ThreadAnswer = { id, answer: analysis ? answerTo(method, analysis, params) : null };
  parentPort?.postMessage(message);
});

function answerTo<M extends Method>(method: M, analysis: Analysis, params: unknown): Requests[M]["answer"] {
  return answerers[method](analysis, params as Requests[M]["params"]);
}

function analysed(uri: string): Analysis | undefined {
  const state = texts.get(uri);
  if (!state) return undefined;
  const kept = analyses.get(uri);
  analyses.delete(uri);
  const analysis =
    kept?.version === state.version
      ? kept.analysis
      : analyse({ uri, ...state }, kept?.analysis !== undefined);
  analyses.set(uri, { version: state.version, analysis });
  for (const old of analyses.keys()) {
    if (analyses.size <= keptMax) break;
    analyses.delete(old);
  }
  return analysis;
}
