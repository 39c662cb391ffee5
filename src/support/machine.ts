/**
 * The machine's clock and timers, for the cost of the machine's own work and for real timeouts,
 * independent of the service's clock. Apart from sockets, drivers and the terminal, no other file
 * of `src/` queries the platform. Stores and services accept a replacement.
 */
export interface Machine {
  /** Milliseconds since 1970 by the machine's clock. */
  now(): number;
  /** Milliseconds and their parts, from whenever: only goes forward. */
  elapsed(): number;
  /**
   * Calls back once, so many milliseconds from now; the returned function cancels it. A quiet timer
   * doesn't keep the process alive.
   */
  after(ms: number, callback: () => void, isQuiet?: boolean): () => void;
}

export const machine: Machine = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, callback, isQuiet = false) {
    const timer = setTimeout(callback, ms);
    // A browser's timer is a number, and keeps nothing alive.
    if (isQuiet) timer.unref?.();
    return () => clearTimeout(timer);
  },
};

/** Calls back every so many milliseconds, quietly, until the answer is called. */
export function every(
  ms: number,
  callback: () => void,
  { after }: Pick<Machine, "after"> = machine,
): () => void {
  let takeBack: () => void;
  const wait = () => {
    takeBack = after(
      ms,
      () => {
        wait();
        callback();
      },
      true,
    );
  };
  wait();
  return () => takeBack();
}

export function pause(ms: number, { after }: Pick<Machine, "after"> = machine): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}
