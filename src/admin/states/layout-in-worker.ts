/** State diagram layout in a worker, once for each resource, so that it doesn't delay requests. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { StateGraph } from "../../outputs/diagrams/state-graph.ts";
import type { StateLayout } from "../../outputs/diagrams/state-layout.ts";
import { machine } from "../../support/machine.ts";

/** The time limit of one layout, in milliseconds: many times that of the largest drawn diagram. */
const timeoutMs = 20_000;

export type LayoutInWorker = (graph: StateGraph) => Promise<StateLayout | null>;

/** The layout is null if the diagram is too large to read, or if its layout failed. */
export function createLayoutInWorker(failed: (resource: string, error: unknown) => void): LayoutInWorker {
  const made = new Map<string, Promise<StateLayout | null>>();
  return (graph) => {
    const { resource } = graph;
    let layout = made.get(resource);
    if (!layout) {
      layout = layoutInWorker(graph).catch((error: unknown) => {
        failed(resource, error);
        return null;
      });
      made.set(resource, layout);
    }
    return layout;
  };
}

function layoutInWorker(graph: StateGraph): Promise<StateLayout | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./layout-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: graph,
    });
    // A worker must not delay the end of the process.
    worker.unref();
    const end = (finish: () => void) => {
      takeBack();
      finish();
      void worker.terminate();
    };
    const onTimeout = () => end(() => reject(new Error(`it took longer than ${timeoutMs} ms`)));
    const takeBack = machine.after(timeoutMs, onTimeout, true);
    worker.on("message", (layout: StateLayout | null) => end(() => resolve(layout)));
    worker.on("error", (error) => end(() => reject(error)));
  });
}
