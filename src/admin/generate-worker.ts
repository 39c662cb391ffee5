/** The worker that generates one export for the operations address: a large document takes a while, and requests are answered meanwhile. */
import { parentPort, workerData } from "node:worker_threads";
import { WrongOption } from "../outputs/output.ts";
import type { GenerateRequest, GenerateResult } from "./generate-in-worker.ts";
import { generateHere } from "./published.ts";

const { model, output, options } = workerData as GenerateRequest;
const post = (result: GenerateResult) => parentPort?.postMessage(result);
try {
  post({ made: await generateHere(model, output, options) });
} catch (error) {
  // An error loses its class when it is posted.
  if (!(error instanceof WrongOption)) throw error;
  post({ optionError: error.message });
}
