/**
 * The interface of a command. The commands themselves are in `commands/`, listed in
 * `commands/index.ts`.
 */
import type { Terminal } from "./terminal.ts";
import { RefusedError, UnavailableError, UsageError } from "../support/ninefold-error.ts";

export interface Command {
  readonly name: string;
  /** The text of `--help`: the usage line, the options, an example. */
  readonly usage: string;
  /** The text of `-h`, if it is shorter. */
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
  /** The command ran, and the document, the test or the comparison failed. */
  failed: 1,
  /** The command line can't be understood. */
  usage: 2,
  /** The environment lacks or blocks something: a file, a port, a store. */
  environment: 3,
} as const;

/** The command line can't be understood; ends with exit code 2. */
export class WrongUsage extends UsageError {
  override name: string = "WrongUsage";
}

/**
 * Arguments without a dash are missing, unknown or too many: the message is printed with the usage
 * line.
 */
export class WrongArguments extends WrongUsage {
  override name = "WrongArguments";
}

/**
 * The command ran and failed: the document or one of its rules rejects the request; ends with exit
 * code 1.
 */
export class CommandFailed extends RefusedError {
  override name: string = "CommandFailed";
}

/** The environment lacks or blocks something; ends with exit code 3. */
export class CliError extends UnavailableError {
  override name = "CliError";
}
