/** Worker that finds the open questions of a document, or applies answers to its text. */
import { parentPort, workerData } from "node:worker_threads";
import { runWorkListJob, type WorkListJob } from "./worklist-job.ts";

parentPort?.postMessage(runWorkListJob(workerData as WorkListJob));
