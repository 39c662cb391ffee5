/**
 * For tests: runs a command as typed, without a terminal or an environment, and returns its output
 * and errors.
 */
import { main } from "../main.ts";

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly complaints: string;
}

export async function runCommand(...args: readonly string[]): Promise<CommandRun> {
  let out = "";
  let complaints = "";
  const code = await main([...args], {
    write: (text) => {
      out += text;
    },
    printError: (text) => {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    environment: {},
  });
  return { code, out, complaints };
}
