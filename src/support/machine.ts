/**
 * The machine's time: what its own work takes, and how long something real may take, whatever clock a service goes by. Nobody else in `src/`
 * asks the platform for it, but for sockets, drivers and the terminal. Stores and services can be given another one.
 */
export interface Machine {
  /** Milliseconds since 1970, as its clock says. */
  now(): number;
  /** Milliseconds and their parts, from whenever: only goes forward. */
  elapsed(): number;
  /** Calls back once, so many milliseconds from now; the answer takes the wish back. A quiet wish doesn't keep the process alive. */
  after(ms: number, callback: () => void, isQuiet?: boolean): () => void;
}

export const machine: Machine = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, callback, isQuiet = false) {
    const timer = setTimeout(callback, ms);
    if (isQuiet) timer.unref();
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
