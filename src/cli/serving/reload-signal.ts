/**
 * SIGHUP, the wish of an operator to have read again what may have changed: the certificate, and the document as `--watch` would. On a terminal
 * it says that the terminal is gone, and ends the process as it does any other.
 */
import type { Terminal } from "../terminal.ts";

export interface ReloadSignal {
  /** Called with each; a wish from before there is a listener is told to the first. */
  onRequest(listener: () => void): void;
  forget(): void;
}

export function listenForReload({ isTerminal, errorsToTerminal }: Terminal): ReloadSignal {
  if (isTerminal || errorsToTerminal) return { onRequest() {}, forget() {} };
  let wasRequested = false;
  const listeners: (() => void)[] = [];
  const take = () => {
    wasRequested = true;
    for (const listener of listeners) listener();
  };
  process.on("SIGHUP", take);
  return {
    onRequest(listener) {
      listeners.push(listener);
      if (wasRequested && listeners.length === 1) listener();
    },
    forget: () => process.off("SIGHUP", take),
  };
}
