/**
 * SIGHUP reloads the certificate and the document, as `--watch` does. On a terminal it means that
 * the terminal was closed, and it ends the process as any stop signal does.
 */
import type { Terminal } from "../../terminal.ts";

export interface ReloadSignal {
  /**
   * Called with each signal; one that arrived before there was a listener is passed to the first.
   */
  onRequest(listener: () => void): void;
  forget(): void;
}

export function listenForReload({ isTerminal, errorsToTerminal }: Terminal): ReloadSignal {
  if (isTerminal || errorsToTerminal) return { onRequest() {}, forget() {} };
  let wasRequested = false;
  const listeners: (() => void)[] = [];
  const onSignal = () => {
    wasRequested = true;
    for (const listener of listeners) listener();
  };
  process.on("SIGHUP", onSignal);
  return {
    onRequest(listener) {
      listeners.push(listener);
      if (wasRequested && listeners.length === 1) listener();
    },
    forget: () => process.off("SIGHUP", onSignal),
  };
}
