/**
 * Compiles in a thread of its own that is stopped when it takes too long. The ceilings of `syntax/ceilings.ts` should
 * make that impossible; this is for the day on which they don't.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Compilation } from "./compile.ts";
import { createReporter } from "./diagnostics/diagnostic.ts";
import { faultOf } from "./diagnostics/fault.ts";
import { createSource, positionOf } from "./source/source.ts";
import { compileTimeMsMax } from "./syntax/ceilings.ts";
import { machine } from "./support/machine.ts";

/** Memory of the thread, in MiB; an ordinary document needs a tenth. */
const memoryMiBMax = 512;

/** On a machine that is busy with something else the thread gets little time: it has so many times as long for all that. */
const busyFactor = 10;

/** Like `compile`, and in bounded time: at most two seconds of the processor from when the thread has its code. */
export function compileInWorker(
  text: string,
  options: { readonly file: string; readonly timeoutMs?: number },
): Promise<Compilation> {
  const { file, timeoutMs = compileTimeMsMax } = options;
  return new Promise((resolve) => {
    const address = new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
    const wishes: (() => void)[] = [];
    const finish = (compilation: Compilation): void => {
      for (const takeBack of wishes) takeBack();
      resolve(compilation);
      void worker.terminate();
    };
    worker.on("message", (message: "ready" | Compilation) => {
      if (message !== "ready") return finish(message);
      const stop = () => finish(tooSlow(text, file, timeoutMs));
      wishes.push(machine.after(busyFactor * timeoutMs, stop));
      // Loading the code is not the document's doing, so the time runs from here.
      void usedMs(worker).then((before) => {
        const look = async (): Promise<void> => {
          const left = before + timeoutMs - (await usedMs(worker));
          if (left <= 0) stop();
          else wishes[1] = machine.after(left, look);
        };
        wishes[1] = machine.after(timeoutMs, look);
      });
      worker.postMessage({ text, file });
    });
    worker.on("error", (error) => finish({ diagnostics: faultOf(file, text, error), ledger: [] }));
  });
}

/** Processor time of a thread, in milliseconds; what the clock says where Node can't tell it yet (24.6). */
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
