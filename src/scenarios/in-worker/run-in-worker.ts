/**
 * Scenario runs in a worker thread with limits of time and memory, so that they don't delay the
 * service's requests. A handler that never returns ends with its thread.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../../model/model.ts";
import type { MetSide } from "../coverage/coverage.ts";
import type { ScenarioReport } from "../report.ts";
import { machine } from "../../support/machine.ts";

const workerLimits = {
  /** The memory limit of the worker, in MiB. */
  memoryMiBMax: 512,
  /** The time limit of all scenarios together, in milliseconds. */
  timeoutMs: 120_000,
  /** The maximum length of the errors that handlers print, in characters. */
  complaintsMax: 10_000,
} as const;

export interface WorkerRequest {
  readonly model: Model;
  /** The names of the scenarios to run. */
  readonly names: readonly string[];
  readonly handlersAddress: string | undefined;
  readonly isMeasured: boolean;
}

export interface WorkerRun {
  readonly scenario: ScenarioReport;
  readonly met: readonly MetSide[];
}

export type WorkerMessage =
  | { readonly kind: "over"; readonly run: WorkerRun }
  | { readonly kind: "complaint"; readonly text: string }
  | { readonly kind: "end" };

export interface WorkerEnd {
  /** Why the run stopped early; null if it is complete. */
  readonly stopped: string | null;
  /** The errors of the author's own code. */
  readonly complaints: string;
}

/** @param onOver called after each scenario */
export function runInWorker(
  request: WorkerRequest,
  onOver: (run: WorkerRun) => void,
  timeoutMs: number = workerLimits.timeoutMs,
): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: workerLimits.memoryMiBMax },
      // The output of handlers must not mix with the output of the service.
      stdout: true,
      stderr: true,
    });
    // A worker must not delay the end of the process.
    worker.unref();
    let complaints = "";
    const end = (stopped: string | null) => {
      takeBack();
      resolve({ stopped, complaints });
      void worker.terminate();
    };
    const onTimeout = () =>
      end(`It took longer than ${Math.round(timeoutMs / 1000)} seconds, and was stopped.`);
    const takeBack = machine.after(timeoutMs, onTimeout, true);
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "over") onOver(message.run);
      else if (message.kind === "end") end(null);
      else if (complaints.length < workerLimits.complaintsMax) complaints += message.text;
    });
    worker.on("error", (error) => end(error.message));
    worker.on("exit", () => end("Its thread ended before its scenarios did."));
  });
}
