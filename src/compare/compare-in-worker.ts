/** Compares in a worker thread with a time limit, so that the service keeps responding. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../model/model.ts";
import { machine } from "../support/machine.ts";
import type { Difference } from "./difference.ts";

/** Maximum memory of the thread, in MiB. */
const memoryMiBMax = 512;
/** In milliseconds: several times what two documents of a thousand endpoints take. */
const timeoutMs = 20_000;

/** @returns undefined if the comparison took too long or failed, so that nothing is known */
export function compareInWorker(before: Model, after: Model): Promise<readonly Difference[] | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./compare-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { before, after },
      resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax },
    });
    worker.unref();
    const end = (differences: readonly Difference[] | undefined) => {
      takeBack();
      resolve(differences);
      void worker.terminate();
    };
    const takeBack = machine.after(timeoutMs, () => end(undefined), true);
    worker.on("message", end);
    worker.on("error", () => end(undefined));
  });
}
