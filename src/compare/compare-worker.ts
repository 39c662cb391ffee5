/** Worker thread that compares two documents while one of them is served. */
import { parentPort, workerData } from "node:worker_threads";
import type { Model } from "../model/model.ts";
import { compareDocuments } from "./compare.ts";

const { before, after }: { readonly before: Model; readonly after: Model } = workerData;
parentPort?.postMessage(compareDocuments(before, after));
