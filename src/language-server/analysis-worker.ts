/**
 * Analysis thread: it compiles each state once, keeps the newest state of each document, and
 * answers requests about it.
 */
import { parentPort } from "node:worker_threads";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Analysis, analyse } from "./analysis.ts";
import { answerers } from "./answer.ts";
import { chunksOf } from "./chunks.ts";
import type { Method, Requests, ThreadAnswer, ThreadRequest } from "./requests.ts";

/** Maximum number of kept analyses; an older document is compiled again when it is needed. */
const keptMax = 8;

/** By URI, the least recently used first; undefined for a file that isn't a specification. */
const analyses = new Map<string, { readonly version: number; readonly analysis: Analysis | undefined }>();
const texts = new Map<string, { readonly version: number; readonly text: string }>();

parentPort?.on("message", async (request: ThreadRequest) => {
  if (request.kind === "close") {
    analyses.delete(request.uri);
    texts.delete(request.uri);
    return;
  }
  const { id, method, params, state } = request;
  const { uri, version } = state;
  if (state.text !== undefined) texts.set(uri, { version, text: state.text });
  const message: ThreadAnswer = { id, answer: await answerFor(uri, method, params) };
  parentPort?.postMessage(message);
  // Prepares the data that completion needs for this state before the next keystroke.
  if (method === "diagnostics") analyses.get(uri)?.analysis?.habits.habitsOf(chunksOf(textOf(uri)));
});

function textOf(uri: string): string {
  return texts.get(uri)?.text ?? "";
}

async function answerFor<M extends Method>(
  uri: string,
  method: M,
  params: unknown,
): Promise<Requests[M]["answer"] | null> {
  // Completion doesn't wait for the compilation of the newest text: an earlier analysis has the
  // names.
  const earlier = method === "completion" ? analyses.get(uri)?.analysis : undefined;
  const analysis = earlier ?? analysed(uri);
  if (!analysis) return null;
  const newest = TextDocument.create(uri, "markdown", 0, textOf(uri));
  return answerers[method](analysis, params as Requests[M]["params"], newest);
}

function analysed(uri: string): Analysis | undefined {
  const state = texts.get(uri);
  if (!state) return undefined;
  const kept = analyses.get(uri);
  analyses.delete(uri);
  const analysis =
    kept?.version === state.version ? kept.analysis : analyse({ uri, ...state }, kept?.analysis);
  analyses.set(uri, { version: state.version, analysis });
  for (const old of analyses.keys()) {
    if (analyses.size <= keptMax) break;
    analyses.delete(old);
  }
  return analysis;
}
