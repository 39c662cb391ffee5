/**
 * The machine's clock and timers, for the cost of the machine's own work and for real timeouts,
 * independent of the service's clock. Apart from sockets, drivers and the terminal, no other file
 * of `src/` queries the platform. Stores and services accept a replacement.
 */
export interface Machine {
  /** Milliseconds since 1970 by the machine's clock. */
  now(): number;
  /** Milliseconds with fractions of a monotonic clock, from any origin. */
  elapsed(): number;
  /**
   * Calls back once after this many milliseconds; the returned function cancels it. A quiet timer
   * doesn't keep the process alive.
   */
  after(ms: number, callback: () => void, isQuiet?: boolean): () => void;
}

export const machine: Machine = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, callback, isQuiet = false) {
    const timer = setTimeout(callback, ms);
    // Timers of browsers are numbers, which have no `unref`.
    if (isQuiet) timer.unref?.();
    return () => clearTimeout(timer);
  },
};

/**
 * Calls back at an interval in milliseconds with a quiet timer, until the returned function is
 * called.
 */
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
