/**
 * Compiles in a thread of its own that is stopped when it takes too long. The ceilings of `syntax/ceilings.ts` should
 * make that impossible; this is for the day on which they don't.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type Compilation, faultOf } from "./compile.ts";
import { createReporter } from "./diagnostics/diagnostic.ts";
import { createSource, positionOf } from "./source/source.ts";
import { compileTimeMsMax } from "./syntax/ceilings.ts";

/** Memory of the thread, in MiB; an ordinary document needs a tenth. */
const memoryMiBMax = 512;

/** Like `compile`, and in bounded time: at most two seconds from when the thread has its code. */
export function compileInWorker(
  text: string,
  options: { readonly file: string; readonly timeoutMs?: number },
): Promise<Compilation> {
  const { file, timeoutMs = compileTimeMsMax } = options;
  return new Promise((resolve) => {
    const address = new URL(`./compile-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(address, { resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax } });
    let timer: NodeJS.Timeout | undefined;
    const finish = (compilation: Compilation): void => {
      clearTimeout(timer);
      resolve(compilation);
      void worker.terminate();
    };
    worker.on("message", (message: "ready" | Compilation) => {
      if (message !== "ready") return finish(message);
      // Loading the code is not the document's doing, so the time runs from here.
      timer = setTimeout(() => finish(tooSlow(text, file, timeoutMs)), timeoutMs);
      worker.postMessage({ text, file });
    });
    worker.on("error", (error) => finish({ diagnostics: faultOf(file, text, error), ledger: [] }));
  });
}

function tooSlow(text: string, file: string, milliseconds: number): Compilation {
  const source = createSource(file, text);
  const reporter = createReporter(source);
  reporter.report("document/too-slow", positionOf(source, 0, 0), { milliseconds });
  return { diagnostics: reporter.diagnostics, ledger: [] };
}
