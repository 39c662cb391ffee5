/** Terminals of tests: one whose output is ignored, and one that must receive no error. */
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
