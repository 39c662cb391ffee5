/** Progress bar on one line that is rewritten; prints nothing without a terminal. */
import type { Terminal } from "./terminal.ts";

export interface Progress {
  readonly update: (done: number, all: number) => void;
  /** Removes the line. */
  end(): void;
}

/** Wide enough for visible movement, in characters. */
const barWidth = 30;
/** Minimum time between two updates, in milliseconds. */
const everyMs = 100;

export function createProgress(terminal: Terminal, what: string): Progress {
  if (!terminal.errorsToTerminal || terminal.isQuiet) return { update() {}, end() {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    update(done, all) {
      const now = performance.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      isShown = true;
      const share = all === 0 ? 1 : Math.min(1, done / all);
      const full = Math.round(share * barWidth);
      const bar = "█".repeat(full) + "░".repeat(barWidth - full);
      terminal.printError(`\r${what} ${bar} ${Math.floor(share * 100)} %`);
    },
    end() {
      if (isShown) terminal.printError("\r\u001b[K");
    },
  };
}
