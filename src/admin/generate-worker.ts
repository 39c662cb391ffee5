/**
 * Worker that generates one export for the operations address. A large document takes seconds, and
 * the service answers requests meanwhile.
 */
import { parentPort, workerData } from "node:worker_threads";
import { WrongOption } from "../outputs/output.ts";
import type { GenerateRequest, GenerateResult } from "./generate-in-worker.ts";
import { generateHere } from "./published-files.ts";

const { model, output, options } = workerData as GenerateRequest;
const post = (result: GenerateResult) => parentPort?.postMessage(result);
try {
  post({ made: await generateHere(model, output, options) });
} catch (error) {
  // A posted error loses its class.
  if (!(error instanceof WrongOption)) throw error;
  post({ optionError: error.message });
}
