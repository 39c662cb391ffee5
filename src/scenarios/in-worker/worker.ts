/**
 * Worker thread in which scenarios run next to a service, with its own copy of the model, of the
 * handlers' module, and of the stores.
 */
import { parentPort, workerData } from "node:worker_threads";
import { importHandlers } from "../../engine/handlers/import-module.ts";
import { runScenarios } from "../run-scenarios.ts";
import { reportScenario } from "../report.ts";
import type { WorkerMessage, WorkerRequest } from "./run-in-worker.ts";

const { model, names, handlersAddress, isMeasured } = workerData as WorkerRequest;
const post = (message: WorkerMessage) => parentPort?.postMessage(message);

const handlers =
  handlersAddress === undefined ? undefined : await importHandlers(handlersAddress, "the handlers' module");
const wanted = new Set(names);
const scenarios = model.scenarios.filter(({ name }) => wanted.has(name));
const complaints = { printError: (text: string) => post({ kind: "complaint", text }) };
for await (const { result, met } of runScenarios(model, scenarios, { handlers, complaints, isMeasured }))
  post({ kind: "over", run: { scenario: reportScenario(result), met } });
post({ kind: "end" });
