/**
 * Runs scenarios in a thread of their own, in bounded time and memory, so that they don't delay
 * requests that are being answered. A handler that never ends is ended with its thread.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../../model/model.ts";
import type { MetSide } from "../coverage/coverage.ts";
import type { ScenarioReport } from "../report.ts";
import { machine } from "../../support/machine.ts";

const workerLimits = {
  /** Memory of the thread, in MiB. */
  memoryMiBMax: 512,
  /** How long all of its scenarios may take together, in milliseconds. */
  timeoutMs: 120_000,
  /** Most characters of errors that handlers print. */
  complaintsMax: 10_000,
} as const;

export interface WorkerRequest {
  readonly model: Model;
  /** The scenarios that are wanted. */
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
  /** Why it ended before all were run; null where it didn't. */
  readonly stopped: string | null;
  /** What went wrong in the author's own code. */
  readonly complaints: string;
}

/** @param onOver called with each scenario when it is over */
export function runInWorker(
  request: WorkerRequest,
  onOver: (run: WorkerRun) => void,
  timeoutMs: number = workerLimits.timeoutMs,
): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: workerLimits.memoryMiBMax },
      // What an author's code writes there is not the service's output.
      stdout: true,
      stderr: true,
    });
    // A service that is stopped doesn't wait for it.
    worker.unref();
    let complaints = "";
    const end = (stopped: string | null) => {
      takeBack();
      resolve({ stopped, complaints });
      void worker.terminate();
    };
    const late = () => end(`It took longer than ${Math.round(timeoutMs / 1000)} seconds, and was stopped.`);
    const takeBack = machine.after(timeoutMs, late, true);
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "over") onOver(message.run);
      else if (message.kind === "end") end(null);
      else if (complaints.length < workerLimits.complaintsMax) complaints += message.text;
    });
    worker.on("error", (error) => end(error.message));
    worker.on("exit", () => end("Its thread ended before its scenarios did."));
  });
}
