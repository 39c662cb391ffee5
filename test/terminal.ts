/** Terminals of tests: one that nobody looks at, and one on which nothing may be complained of. */
import type { Terminal } from "../src/cli/terminal.ts";

export const silentTerminal: Terminal = {
  write: () => {},
  complain: () => {},
  isTerminal: false,
  colour: false,
  environment: {},
};

export const strictTerminal: Terminal = {
  ...silentTerminal,
  complain(text) {
    throw new Error(text);
  },
};
