/** Stop signals: the first one stops the process, and a later one ends it at once. */

import { every } from "../../../support/machine.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * How long a repeated signal is ignored, in milliseconds. Ctrl-C reaches every process of the
 * terminal. The parent (npm, the launcher on an old Node) receives it too and passes it on. That is
 * no second request, and must not end a process that is stopping.
 */
const echoMs = 2000;

export interface StopSignal {
  /** Resolves with the first stop signal. A later one ends the process at once. */
  readonly requested: Promise<void>;
  /** Stops as the first signal would, for an internal reason. */
  request(): void;
  forget(): void;
}

export function listenForStop(): StopSignal {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  let requestedAt: number | undefined;
  const request = (): number => {
    resolve();
    requestedAt ??= performance.now();
    return requestedAt;
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (performance.now() - request() < echoMs) return;
    leave(onSignal);
    process.kill(process.pid, signal);
  };
  listen(onSignal);
  const forgetScript = onScriptExit(request);
  return {
    requested,
    request,
    forget() {
      forgetScript();
      // A process that stopped quickly may still be exiting when the launcher repeats the signal. A
      // listener remains between the two.
      if (requestedAt !== undefined) listen(ignore);
      leave(onSignal);
      if (requestedAt === undefined) return;
      // Node restores the default effect of signals after its last tick, before it exits: this
      // skips that.
      process.once("exit", () => process.exit());
      setTimeout(() => leave(ignore), echoMs).unref();
    },
  };
}

/** How often the parent process is checked, in milliseconds. */
const parentEveryMs = 250;

/**
 * Calls back when the shell of a package script (`npm start`) has exited. npm passes a signal only
 * to its shell, which exits and leaves the service running with its port in use. Elsewhere the exit
 * of a parent process has no meaning.
 */
export function onScriptExit(callback: () => void): () => void {
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"] === undefined || process.platform === "win32") return () => {};
  return every(parentEveryMs, () => {
    if (process.ppid !== parent) callback();
  });
}

const listen = (listener: NodeJS.SignalsListener): void => {
  for (const signal of signals) process.on(signal, listener);
};

const leave = (listener: NodeJS.SignalsListener): void => {
  for (const signal of signals) process.off(signal, listener);
};

function ignore(): void {}
