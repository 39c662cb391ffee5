/**
 * The little of a process that commands see: two streams of text, and whether colours are wanted.
 * Tests make their own.
 */

export interface Terminal {
  /** The requested output. */
  write(text: string): void;
  /** What went wrong, and progress. */
  printError(text: string): void;
  /** Where lines of the log go, if not where reportts go. */
  writeLog?(line: string): void;
  /** Whether `write` writes to a terminal. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** The same for `printError`, whose output may go elsewhere; without it, no colours there. */
  readonly errorsInColour?: boolean;
  /** The output of `printError` goes to a terminal. */
  readonly errorsToTerminal?: boolean;
  /** Nothing but errors is wanted: no progress, no warning. */
  readonly isQuiet?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Prompts for an answer; undefined at the end of the input. Only where a user reads and types.
   */
  readonly prompt?: (question: string) => Promise<string | undefined>;
}

export function terminalOf(process: NodeJS.Process): Terminal {
  const { env, stdin, stdout, stderr } = process;
  return {
    write: (text) => void stdout.write(text),
    printError: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY === true,
    colour: wantsColour(env, stdout.isTTY === true),
    errorsInColour: wantsColour(env, stderr.isTTY === true),
    errorsToTerminal: stderr.isTTY === true,
    environment: env,
    ...(stdin.isTTY && stdout.isTTY ? { prompt: createPrompt(process) } : {}),
  };
}

/** Reads a line at a time; Ctrl+C ends the process, Ctrl+D the input. */
function createPrompt({ stdin, stdout }: NodeJS.Process): NonNullable<Terminal["prompt"]> {
  return async (question) => {
    const { createInterface } = await import("node:readline");
    return new Promise((resolve) => {
      const reader = createInterface({ input: stdin, output: stdout });
      reader.once("SIGINT", () => {
        stdout.write("\n");
        process.exit(130);
      });
      reader.once("close", () => resolve(undefined));
      reader.question(question, (answer) => {
        resolve(answer);
        reader.close();
      });
    });
  };
}

/** For a command that reports errors only and has no output to write. */
export function silent(terminal: Terminal): Terminal {
  return { ...terminal, write() {}, isQuiet: true };
}

/** Prints a message that is no error, unless only errors are wanted. */
export function warn(terminal: Terminal, text: string): void {
  if (!terminal.isQuiet) terminal.printError(text);
}

/**
 * https://no-color.org: set and not empty, it means no colour. `FORCE_COLOR` means colour into a
 * pipe too.
 */
function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}
