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

interface Waiting {
  readonly method: Method;
  readonly params: unknown;
  readonly newest: () => DocumentState | undefined;
  readonly isWanted: () => boolean;
  readonly resolve: (answer: unknown) => void;
}

export class Analyst {
  readonly #onFailed: (message: string) => void;
  #worker: Worker | undefined;
  #current: { readonly id: number; readonly waiting: Waiting; readonly stopClock: () => void } | undefined;
  #lastId = 0;
  readonly #queue: Waiting[] = [];
  /** The version of each document that the thread has. */
  readonly #sent = new Map<string, number>();

  constructor(onFailed: (message: string) => void) {
    this.#onFailed = onFailed;
  }

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
    isWanted: () => boolean = () => true,
  ): Promise<Answer<M>> {
    return new Promise((resolve) => {
      const answered = (answer: unknown) => resolve(answer as Answer<typeof method>);
      this.#queue.push({ method, params, newest, isWanted, resolve: answered });
      if (this.#queue.length > waitingMax) this.#queue.shift()?.resolve(undefined);
      this.#next();
    });
  }

  close(uri: string): void {
    this.#sent.delete(uri);
    if (this.#worker) post(this.#worker, { kind: "close", uri });
  }

  stop(): void {
    for (const { resolve } of this.#queue.splice(0)) resolve(undefined);
    this.#current?.stopClock();
    void this.#worker?.terminate();
  }

  #finish(answer: unknown): void {
    const done = this.#current;
    this.#current = undefined;
    done?.stopClock();
    done?.waiting.resolve(answer ?? undefined);
    this.#next();
  }

  #replace(message: string): void {
    const failed = this.#worker;
    this.#worker = undefined;
    this.#sent.clear();
    failed?.removeAllListeners("message");
    failed?.removeAllListeners("error");
    // Later errors of the thread concern no request.
    failed?.on("error", () => {});
    void failed?.terminate();
    this.#onFailed(message);
    this.#finish(undefined);
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const address = new URL(`./analysis-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
    this.#worker.unref();
    this.#worker.on("message", ({ id, answer }: ThreadAnswer) => {
      if (id === this.#current?.id) this.#finish(answer);
    });
    this.#worker.on("error", (error) => this.#replace(error.message));
    return this.#worker;
  }

  #next(): void {
    while (!this.#current && this.#queue.length > 0) {
      const waiting = this.#queue.shift();
      const state = waiting?.isWanted() ? waiting.newest() : undefined;
      // A text that is too long is not copied to the thread.
      if (!waiting || !state || state.text.length > documentBytesMax) waiting?.resolve(undefined);
      else this.#send(waiting, state);
    }
  }

  #send(waiting: Waiting, { uri, version, text }: DocumentState): void {
    const id = ++this.#lastId;
    const { method, params } = waiting;
    const state = this.#sent.get(uri) === version ? { uri, version } : { uri, version, text };
    const stopClock = machine.after(answerMsMax, () => this.#replace("The analysis took too long."), true);
    this.#current = { id, waiting, stopClock };
    const thread = this.#started();
    this.#sent.set(uri, version);
    post(thread, { kind: "request", id, method, params, state });
  }
}

function post(worker: Worker, request: ThreadRequest): void {
  worker.postMessage(request);
}
