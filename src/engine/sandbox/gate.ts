/**
 * Request gate: requests pass, unless exclusive work is running. Then they wait, and those in
 * progress finish first.
 */
import type { Clock } from "../ports.ts";

export interface Gate {
  /** Number of requests in progress. */
  readonly inside: number;
  /** Waits to pass the gate. The returned function must be called when the response is finished. */
  enter(): Promise<() => void>;
  /**
   * Runs the work while the gate is closed, after the running requests have finished, or after
   * `drainMs` milliseconds. Works run one after another.
   * @param whenShut called once the gate is closed; may make running requests finish
   */
  hold<T>(drainMs: number, work: () => Promise<T>, whenShut?: () => void): Promise<T>;
}

/** @param machine real time, because clients wait in real time */
export function createGate(machine: Clock): Gate {
  let inside = 0;
  let heldWork: Promise<unknown> | undefined;
  let whenEmpty: (() => void) | undefined;

  const drained = (drainMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (inside === 0) return resolve();
      const cancel = machine.at(machine.now() + drainMs, done);
      whenEmpty = done;
      function done(): void {
        cancel();
        whenEmpty = undefined;
        resolve();
      }
    });

  return {
    get inside() {
      return inside;
    },
    async enter() {
      while (heldWork) await heldWork;
      inside += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        inside -= 1;
        if (inside === 0) whenEmpty?.();
      };
    },
    async hold(drainMs, work, whenShut) {
      while (heldWork) await heldWork;
      const done = drained(drainMs).then(work);
      const settled = done.then(
        () => {},
        () => {},
      );
      heldWork = settled;
      whenShut?.();
      try {
        return await done;
      } finally {
        if (heldWork === settled) heldWork = undefined;
      }
    },
  };
}
