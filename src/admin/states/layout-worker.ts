/**
 * The thread in which a diagram of states is laid out for the console, with room for what its boxes
 * and arrows count.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadLayout } from "../../outputs/diagrams/layout.ts";
import type { StateGraph } from "../../outputs/diagrams/state-graph.ts";
import { layStates } from "../../outputs/diagrams/state-layout.ts";

/** A second line in each box, and a number after each label. */
const room = { stateHeight: 48, stateWidthMin: 104, behindLabel: 44 } as const;

const lay = await loadLayout();
parentPort?.postMessage(layStates(workerData as StateGraph, lay, room) ?? null);
