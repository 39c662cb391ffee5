/**
 * Analyst: sends requests to the analysis thread, one at a time, in bounded time and memory. A
 * thread that takes too long or runs out of memory is replaced, and its request has no answer.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { machine } from "../support/machine.ts";
import { compileTimeMsMax, documentBytesMax } from "../syntax/ceilings.ts";
import type { DocumentState, Method, Requests, ThreadAnswer, ThreadRequest } from "./requests.ts";

/** Memory of the thread, in MiB. */
const memoryMiBMax = 512;

/** Timeout of a request, which may compile several times on a busy machine. */
const answerMsMax = 10 * compileTimeMsMax;

/** Maximum number of waiting requests; for further ones, the oldest gets no answer. */
const waitingMax = 64;

export type Answer<M extends Method> = Requests[M]["answer"] | undefined;

export interface Analyst {
  /**
   * The answer about the newest state of a document. Undefined where the document is not a
   * specification, is too long, or was closed; and where the thread failed.
   *
   * @param isWanted whether the request still matters, evaluated just before it is sent
   */
  request<M extends Method>(
    method: M,
    newest: () => DocumentState | undefined,
    params: Requests[M]["params"],
    isWanted?: () => boolean,
  ): Promise<Answer<M>>;
  close(uri: string): void;
  stop(): void;
}

interface Waiting {
  readonly method: Method;
  readonly params: unknown;
  readonly newest: () => DocumentState | undefined;
  readonly isWanted: () => boolean;
  readonly resolve: (answer: unknown) => void;
}

export function createAnalyst(onFailed: (message: string) => void): Analyst {
  let worker: Worker | undefined;
  let current: { readonly id: number; readonly waiting: Waiting; readonly stopClock: () => void } | undefined;
  let lastId = 0;
  const queue: Waiting[] = [];
  /** The version of each document that the thread has. */
  const sent = new Map<string, number>();

  const finish = (answer: unknown): void => {
    const done = current;
    current = undefined;
    done?.stopClock();
    done?.waiting.resolve(answer ?? undefined);
    next();
  };
  const replace = (message: string): void => {
    const failed = worker;
    worker = undefined;
    sent.clear();
    failed?.removeAllListeners("message");
    failed?.removeAllListeners("error");
    // Later errors of the thread concern no request.
    failed?.on("error", () => {});
    void failed?.terminate();
    onFailed(message);
    finish(undefined);
  };
  const started = (): Worker => {
    if (worker) return worker;
    const address = new URL(`./analysis-worker${extname(import.meta.url)}`, import.meta.url);
    worker = new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
    worker.unref();
    worker.on("message", ({ id, answer }: ThreadAnswer) => {
      if (id === current?.id) finish(answer);
    });
    worker.on("error", (error) => replace(error.message));
    return worker;
  };
  const next = (): void => {
    while (!current && queue.length > 0) {
      const waiting = queue.shift();
      const state = waiting?.isWanted() ? waiting.newest() : undefined;
      // A text that is too long is not copied to the thread.
      if (!waiting || !state || state.text.length > documentBytesMax) waiting?.resolve(undefined);
      else send(waiting, state);
    }
  };
  const send = (waiting: Waiting, { uri, version, text }: DocumentState): void => {
    const id = ++lastId;
    const { method, params } = waiting;
    const state = sent.get(uri) === version ? { uri, version } : { uri, version, text };
    const stopClock = machine.after(answerMsMax, () => replace("The analysis took too long."), true);
    current = { id, waiting, stopClock };
    const thread = started();
    sent.set(uri, version);
    post(thread, { kind: "request", id, method, params, state });
  };
  return {
    request: (method, newest, params, isWanted = () => true) =>
      new Promise((resolve) => {
        const answered = (answer: unknown) => resolve(answer as Answer<typeof method>);
        queue.push({ method, params, newest, isWanted, resolve: answered });
        if (queue.length > waitingMax) queue.shift()?.resolve(undefined);
        next();
      }),
    close(uri) {
      sent.delete(uri);
      if (worker) post(worker, { kind: "close", uri });
    },
    stop() {
      for (const { resolve } of queue.splice(0)) resolve(undefined);
      current?.stopClock();
      void worker?.terminate();
    },
  };
}

function post(worker: Worker, request: ThreadRequest): void {
  worker.postMessage(request);
}
