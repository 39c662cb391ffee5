/**
 * What a command of the command line is. The commands themselves are in `commands/`, listed in
 * `commands/index.ts`.
 */
import type { Terminal } from "./terminal.ts";

export interface Command {
  readonly name: string;
  /** What `--help` shows: how it is called, its options, an example. */
  readonly usage: string;
  /** What `-h` shows, if that is less. */
  readonly shortUsage?: string;
  /**
   * Runs it and returns the exit code. Throws only `WrongUsage`, `CliError` and `CommandFailed`.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Exit codes, as `--help` lists them. */
export const exitCodes = {
  /** Success. */
  ok: 0,
  /** It ran, and the document, the test or the comparison failed. */
  failed: 1,
  /** The command line can't be understood. */
  usage: 2,
  /** Something around it is missing or in the way: a file, a port, a store. */
  environment: 3,
} as const;

/** The command line can't be understood; ends with exit code 2. */
export class WrongUsage extends Error {
  override name: string = "WrongUsage";
}

/**
 * Arguments without a dash are missing, unknown or too many: the usage line is printed with the
 * message.
 */
export class WrongArguments extends WrongUsage {
  override name = "WrongArguments";
}

/**
 * The command ran and failed: the document or a rule of it rejects what was requested; ends with
 * exit code 1.
 */
export class CommandFailed extends Error {
  override name: string = "CommandFailed";
}

/** Something around the command is missing or in the way; ends with exit code 3. */
export class CliError extends Error {
  override name = "CliError";
}
