/**
 * SIGHUP, the wish of an operator to have read again what may have changed: the certificate, and the document as `--watch` would. On a terminal
 * it says that the terminal is gone, and ends the process as it does any other.
 */
import type { Terminal } from "../terminal.ts";

export interface ReloadSignal {
  /** Called with each; a wish from before there is a listener is told to the first. */
  onAsked(listener: () => void): void;
  forget(): void;
}

export function listenForReload({ isTerminal, complainsToTerminal }: Terminal): ReloadSignal {
  if (isTerminal || complainsToTerminal) return { onAsked() {}, forget() {} };
  let wasAsked = false;
  const listeners: (() => void)[] = [];
  const take = () => {
    wasAsked = true;
    for (const listener of listeners) listener();
  };
  process.on("SIGHUP", take);
  return {
    onAsked(listener) {
      listeners.push(listener);
      if (wasAsked && listeners.length === 1) listener();
    },
    forget: () => process.off("SIGHUP", take),
  };
}
