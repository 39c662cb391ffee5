/**
 * Export generation in a worker, one export at a time with a time limit. The service answers
 * requests meanwhile.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../model/model.ts";
import { type Generated, type OutputOptions, WrongOption } from "../outputs/output.ts";
import { machine } from "../support/machine.ts";

/** The memory limit of the worker, in MiB; documentation of a thousand endpoints needs a fifth. */
const memoryMiBMax = 512;
/**
 * The time limit of one export, in milliseconds: several times that of documentation of a thousand
 * endpoints.
 */
const timeoutMs = 30_000;

/** The input of the worker. */
export interface GenerateRequest {
  readonly model: Model;
  readonly output: string;
  readonly options: OutputOptions;
}

/** The output of the worker: the export, or the error in the options. */
export type GenerateResult = { readonly made: Generated } | { readonly optionError: string };

/** Returns a function that generates exports of a model in a worker, one after another. */
export function createGenerator(
  model: Model,
): (output: string, options: OutputOptions) => Promise<Generated> {
  let last: Promise<unknown> = Promise.resolve();
  return (output, options) => {
    const made = last.then(() => generateInWorker(model, output, options));
    last = made.catch(() => {});
    return made;
  };
}

function generateInWorker(model: Model, output: string, options: OutputOptions): Promise<Generated> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./generate-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { model, output, options } satisfies GenerateRequest,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax },
    });
    // A worker must not delay the end of the process.
    worker.unref();
    const end = (finish: () => void) => {
      takeBack();
      finish();
      void worker.terminate();
    };
    const onTimeout = () => end(() => reject(new Error(`${output} took longer than ${timeoutMs} ms`)));
    const takeBack = machine.after(timeoutMs, onTimeout, true);
    worker.on("message", (result: GenerateResult) =>
      end(() => ("made" in result ? resolve(result.made) : reject(new WrongOption(result.optionError)))),
    );
    worker.on("error", (error) => end(() => reject(error)));
  });
}
