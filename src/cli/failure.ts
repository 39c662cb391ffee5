/** What ends a command, as words on the terminal and an exit code. */
import { exitCodes, CliError, WrongUsage } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** @throws the error itself where it is a fault of our own */
export function failure(error: unknown, command: string, terminal: Terminal): number {
  if (error instanceof WrongUsage) {
    terminal.printError(`ninefold ${command}: ${error.message} See \`ninefold ${command} --help\`.\n`);
    return exitCodes.usage;
  }
  if (error instanceof CliError) {
    terminal.printError(`ninefold ${command}: ${error.message}\n`);
    return exitCodes.environment;
  }
  throw error;
}
