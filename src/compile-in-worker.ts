/**
 * Compilation in a worker thread with a time limit. The ceilings of `syntax/ceilings.ts` should
 * make a slow compilation impossible; the limit covers the case that they don't. A worker that has
 * loaded its code waits a while for the next document. Loading takes longer than compiling most
 * documents, and a user who watches a file or tries scenarios soon has another one.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Compilation } from "./compile.ts";
import { createReporter } from "./diagnostics/diagnostic.ts";
import { faultOf } from "./diagnostics/fault.ts";
import { createSource, positionOf } from "./source/source.ts";
import { compileTimeBytes, compileTimeMsMax } from "./syntax/ceilings.ts";
import { machine } from "./support/machine.ts";

/** The memory limit of the worker, in MiB; an ordinary document needs a tenth. */
const memoryMiBMax = 512;

/**
 * The factor on the time limit for elapsed time, because a busy machine gives the thread little
 * processor time.
 */
const busyFactor = 10;

/** How long a worker waits for the next document, in milliseconds. */
const idleMsMax = 10_000;

let waiting: { readonly worker: Worker; stopClock(): void } | undefined;

/**
 * Like `compile`, with a limit on processor time after the thread has loaded its code: two seconds
 * for each 512 KiB.
 */
export function compileInWorker(
  text: string,
  options: { readonly file: string; readonly timeoutMs?: number },
): Promise<Compilation> {
  const { file, timeoutMs = timeFor(text) } = options;
  return new Promise((resolve) => {
    const kept = takeWaiting();
    const worker = kept ?? newWorker();
    const queue: (() => void)[] = [];
    let isOver = false;
    const finish = (compilation: Compilation, then: (worker: Worker) => void): void => {
      if (isOver) return;
      isOver = true;
      for (const takeBack of queue) takeBack();
      stopHearing(worker);
      then(worker);
      resolve(compilation);
    };
    const begin = async (): Promise<void> => {
      const stop = () => finish(tooSlow(text, file, timeoutMs), end);
      queue.push(machine.after(busyFactor * timeoutMs, stop));
      // Loading the code doesn't depend on the document, so processor time counts from here.
      const before = usedMs(worker);
      worker.postMessage({ text, file });
      const endMs = (await before) + timeoutMs;
      const look = async (): Promise<void> => {
        const left = endMs - (await usedMs(worker));
        if (left <= 0) stop();
        else if (!isOver) queue[1] = machine.after(left, look);
      };
      if (!isOver) queue[1] = machine.after(timeoutMs, look);
    };
    worker.on("message", (message: "ready" | Compilation) =>
      message === "ready" ? void begin() : finish(message, wait),
    );
    worker.on("error", (error) => finish({ diagnostics: faultOf(file, text, error), ledger: [] }, end));
    if (kept) void begin();
  });
}

function timeFor(text: string): number {
  return compileTimeMsMax * Math.max(1, Math.ceil(Buffer.byteLength(text) / compileTimeBytes));
}

function newWorker(): Worker {
  const address = new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url);
  return new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
}

function end(worker: Worker): void {
  // Errors after the result concern no document.
  worker.on("error", () => {});
  void worker.terminate();
}

/** Keeps one worker waiting, without keeping the process alive. */
function wait(worker: Worker): void {
  if (waiting) {
    end(worker);
    return;
  }
  const forget = () => end(takeWaiting() ?? worker);
  waiting = { worker, stopClock: machine.after(idleMsMax, forget, true) };
  worker.on("error", forget);
  worker.unref();
}

function takeWaiting(): Worker | undefined {
  if (!waiting) return undefined;
  const { worker, stopClock } = waiting;
  waiting = undefined;
  stopClock();
  stopHearing(worker);
  worker.ref();
  return worker;
}

/** Removes only these listeners, because the worker uses others itself. */
function stopHearing(worker: Worker): void {
  for (const event of ["message", "error"]) worker.removeAllListeners(event);
}

/**
 * Processor time of a thread, in milliseconds; elapsed time where Node can't report it yet (24.6).
 */
async function usedMs(worker: Worker): Promise<number> {
  const used = await worker.cpuUsage?.().catch(() => undefined);
  return used ? (used.user + used.system) / 1000 : machine.elapsed();
}

function tooSlow(text: string, file: string, milliseconds: number): Compilation {
  const source = createSource(file, text);
  const reporter = createReporter(source);
  reporter.report("document/too-slow", positionOf(source, 0, 0), { milliseconds });
  return { diagnostics: reporter.diagnostics, ledger: [] };
}
