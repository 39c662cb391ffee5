/** A terminal that nobody looks at. */
import type { Terminal } from "../../src/cli/terminal.ts";

export const silentTerminal: Terminal = {
  write: () => {},
  complain: () => {},
  isTerminal: false,
  colour: false,
  environment: {},
};
