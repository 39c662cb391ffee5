/** The thread in which `compile-in-worker.ts` compiles: it says when it is loaded, then answers each text. */
import { parentPort } from "node:worker_threads";
import { compile } from "./compile.ts";

parentPort?.on("message", ({ text, file }: { text: string; file: string }) => {
  parentPort?.postMessage(compile(text, { file }));
});
parentPort?.postMessage("ready");
