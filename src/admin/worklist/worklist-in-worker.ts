/** Work list job in a worker, with a time limit. The service answers requests meanwhile. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { machine } from "../../support/machine.ts";
import type { WorkListJob, WorkListResult } from "./worklist-job.ts";

/** The time limit of one job, in milliseconds: three times that of a document of 4 MiB. */
const timeoutMs = 60_000;
/** The memory limit of the worker, in MiB. */
const memoryMiBMax = 1_024;

let last: Promise<unknown> = Promise.resolve();

/** Runs jobs one after another. @throws Error if a job takes too long */
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
    // A worker must not delay the end of the process.
    worker.unref();
    const end = (finish: () => void) => {
      takeBack();
      finish();
      void worker.terminate();
    };
    const onTimeout = () => end(() => reject(new Error(`the work list took longer than ${timeoutMs} ms`)));
    const takeBack = machine.after(timeoutMs, onTimeout, true);
    worker.on("message", (result: WorkListResult) => end(() => resolve(result)));
    worker.on("error", (error) => end(() => reject(error)));
  });
}
