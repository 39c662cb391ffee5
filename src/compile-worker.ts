/**
 * The worker thread of `compile-in-worker.ts`: it reports when it is loaded, and then compiles each
 * text.
 */
import { parentPort } from "node:worker_threads";
import { compile } from "./compile.ts";

parentPort?.on("message", ({ text, file }: { text: string; file: string }) => {
  parentPort?.postMessage(compile(text, { file }));
});
parentPort?.postMessage("ready");
