/**
 * Worker that lays out a state diagram for the console, with space for counts in its boxes and next
 * to its arrows.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadLayout } from "../../outputs/diagrams/layout.ts";
import type { StateGraph } from "../../outputs/diagrams/state-graph.ts";
import { layStates } from "../../outputs/diagrams/state-layout.ts";

/** Space for a second line in each box, and for a number after each label. */
const room = { stateHeight: 48, stateWidthMin: 104, behindLabel: 44 } as const;

const lay = await loadLayout();
parentPort?.postMessage(layStates(workerData as StateGraph, lay, room) ?? null);
