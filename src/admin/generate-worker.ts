/** The thread in which an export is made for the operations address: large documents take a while, and requests are answered meanwhile. */
import { parentPort, workerData } from "node:worker_threads";
import type { Model } from "../model/model.ts";
import { type OutputOptions, WrongWish } from "../outputs/output.ts";
import { generateHere } from "./published.ts";

const { model, output, wishes } = workerData as {
  readonly model: Model;
  readonly output: string;
  readonly wishes: OutputOptions;
};
try {
  parentPort?.postMessage({ made: await generateHere(model, output, wishes) });
} catch (error) {
  // Errors lose their class on the way.
  if (!(error instanceof WrongWish)) throw error;
  parentPort?.postMessage({ optionError: error.message });
}
