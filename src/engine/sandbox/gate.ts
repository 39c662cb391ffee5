/** Lets requests in, but while something is done that none may be in the midst of: then they wait, and those under way end first. */
import type { Clock } from "../ports.ts";

export interface Gate {
  /** How many are in. */
  readonly inside: number;
  /** Waits to be let in; to be called once what is answered is over. */
  enter(): Promise<() => void>;
  /**
   * Runs the work while the gate is closed, after the running requests have left or after so long, in milliseconds.
   * One after another.
   * @param whenShut called once the gate is closed: may make running requests leave
   */
  hold<T>(drainMs: number, work: () => Promise<T>, whenShut?: () => void): Promise<T>;
}

/** @param machine real time, for that is what people wait in */
export function createGate(machine: Clock): Gate {
  let inside = 0;
  let held: Promise<unknown> | undefined;
  let allLeft: (() => void) | undefined;

  const drained = (drainMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (inside === 0) return resolve();
      const takeBack = machine.at(machine.now() + drainMs, done);
      allLeft = done;
      function done(): void {
        takeBack();
        allLeft = undefined;
        resolve();
      }
    });

  return {
    get inside() {
      return inside;
    },
    async enter() {
      while (held) await held;
      inside += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        inside -= 1;
        if (inside === 0) allLeft?.();
      };
    },
    async hold(drainMs, work, whenShut) {
      while (held) await held;
      const done = drained(drainMs).then(work);
      const settled = done.then(
        () => {},
        () => {},
      );
      held = settled;
      whenShut?.();
      try {
        return await done;
      } finally {
        if (held === settled) held = undefined;
      }
    },
  };
}
