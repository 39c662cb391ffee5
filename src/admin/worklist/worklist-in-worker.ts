/**
 * Runs a job of the work list in a worker, in bounded time, so that requests are answered
 * meanwhile.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { machine } from "../../support/machine.ts";
import type { WorkListJob, WorkListResult } from "./worklist-job.ts";

/** How long one may take, in milliseconds: a document of 4 MiB takes a third of it. */
const timeoutMs = 60_000;
/** Memory of the worker, in MiB. */
const memoryMiBMax = 1_024;

let last: Promise<unknown> = Promise.resolve();

/** One after the other. @throws Error if it takes too long */
export function workListInWorker(job: WorkListJob): Promise<WorkListResult> {
  const done = last.then(() => run(job));
  last = done.catch(() => {});
  return done;
}

function run(job: WorkListJob): Promise<WorkListResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./worklist-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: job,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax },
    });
    // A service that is stopped doesn't wait for it.
    worker.unref();
    const end = (finish: () => void) => {
      takeBack();
      finish();
      void worker.terminate();
    };
    const late = () => end(() => reject(new Error(`the work list took longer than ${timeoutMs} ms`)));
    const takeBack = machine.after(timeoutMs, late, true);
    worker.on("message", (result: WorkListResult) => end(() => resolve(result)));
    worker.on("error", (error) => end(() => reject(error)));
  });
}
