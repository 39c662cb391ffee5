/**
 * Runs scenarios in a thread of their own, in bounded time and memory: whoever asks for them delays nobody whose request is being answered,
 * and a handler that never ends is ended with its thread.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Model } from "../../model/model.ts";
import type { MetSide } from "../coverage/coverage.ts";
import type { ToldScenario } from "../told.ts";
import { machine } from "../../support/machine.ts";

const asideLimits = {
  /** Memory of the thread, in MiB. */
  memoryMiBMax: 512,
  /** How long all of its scenarios may take together, in milliseconds. */
  timeoutMs: 120_000,
  /** Characters of what handlers complain of. */
  complaintsMax: 10_000,
} as const;

export interface AsideWish {
  readonly model: Model;
  /** The scenarios that are wanted. */
  readonly names: readonly string[];
  readonly handlersAddress: string | undefined;
  readonly isMeasured: boolean;
}

export interface AsideRun {
  readonly scenario: ToldScenario;
  readonly met: readonly MetSide[];
}

export type AsideMessage =
  | { readonly kind: "over"; readonly run: AsideRun }
  | { readonly kind: "complaint"; readonly text: string }
  | { readonly kind: "end" };

export interface AsideEnd {
  /** Why it ended before all were run; null where it didn't. */
  readonly stopped: string | null;
  /** What went wrong in the author's own code. */
  readonly complaints: string;
}

/** @param onOver told of each scenario when it is over */
export function runAside(
  wish: AsideWish,
  onOver: (run: AsideRun) => void,
  timeoutMs: number = asideLimits.timeoutMs,
): Promise<AsideEnd> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: wish,
      resourceLimits: { maxOldGenerationSizeMb: asideLimits.memoryMiBMax },
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
    worker.on("message", (message: AsideMessage) => {
      if (message.kind === "over") onOver(message.run);
      else if (message.kind === "end") end(null);
      else if (complaints.length < asideLimits.complaintsMax) complaints += message.text;
    });
    worker.on("error", (error) => end(error.message));
    worker.on("exit", () => end("Its thread ended before its scenarios did."));
  });
}
