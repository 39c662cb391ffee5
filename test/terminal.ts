/** Terminals of tests: one that nobody looks at, and one on which nothing may be complained of. */
import type { Terminal } from "../src/cli/terminal.ts";

export const silentTerminal: Terminal = {
  write: () => {},
  printError: () => {},
  isTerminal: false,
  colour: false,
  environment: {},
};

export const strictTerminal: Terminal = {
  ...silentTerminal,
  printError(text) {
    throw new Error(text);
  },
};
