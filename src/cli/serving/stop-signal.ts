/** The wish to stop, as the system brings it. */

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * How long the same wish may come again, in milliseconds. Ctrl-C reaches everything that the terminal runs, and who started this process
 * (npm, the launcher on an old Node) hears it too and passes it on: that is no second wish, and must not end what is being stopped.
 */
const echoMs = 2000;

export interface StopSignal {
  /** Comes true with the first signal that asks to stop. Another wish, later, ends the process at once. */
  readonly asked: Promise<void>;
  forget(): void;
}

export function listenForStop(): StopSignal {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let askedAt: number | undefined;
  const take = (signal: NodeJS.Signals) => {
    askedAt ??= performance.now();
    resolve();
    if (performance.now() - askedAt < echoMs) return;
    forget();
    process.kill(process.pid, signal);
  };
  const forget = () => {
    for (const signal of signals) process.off(signal, take);
  };
  for (const signal of signals) process.on(signal, take);
  return { asked, forget };
}
