/**
 * The terminal of a command: two streams of text, and whether colours are used. Tests make their
 * own.
 */

export interface Terminal {
  /** Prints the requested output. */
  write(text: string): void;
  /** Prints errors and progress. */
  printError(text: string): void;
  /** Where lines of the log go, if not to `printError`. */
  writeLog?(line: string): void;
  /** Whether `write` writes to a terminal. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** Whether `printError` uses colours; its output may go elsewhere. Absent means none. */
  readonly errorsInColour?: boolean;
  /** Whether the output of `printError` goes to a terminal. */
  readonly errorsToTerminal?: boolean;
  /** Whether only errors are printed: no progress and no warnings. */
  readonly isQuiet?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Prompts for an answer; undefined at the end of the input. Absent unless a user reads and types.
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

/** Reads one line at a time; Ctrl+C ends the process, Ctrl+D the input. */
function createPrompt({ stdin, stdout }: NodeJS.Process): NonNullable<Terminal["prompt"]> {
  return async (question) => {
    const { createInterface } = await import("node:readline");
    return new Promise((resolve) => {
      const reader = createInterface({ input: stdin, output: stdout });
      reader.once("SIGINT", () => {
        stdout.write("\n");
        process.exit(130);
      });
      let isAnswered = false;
      reader.once("close", () => {
        if (!isAnswered) stdout.write("\n");
        resolve(undefined);
      });
      reader.question(question, (answer) => {
        isAnswered = true;
        resolve(answer);
        reader.close();
      });
    });
  };
}

/** A terminal for a command that reports only errors and has no output. */
export function silent(terminal: Terminal): Terminal {
  return { ...terminal, write() {}, isQuiet: true };
}

/** Prints a message that is not an error, unless only errors are printed. */
export function warn(terminal: Terminal, text: string): void {
  if (!terminal.isQuiet) terminal.printError(text);
}

/**
 * https://no-color.org: a non-empty value disables colours. `FORCE_COLOR` enables colours in a pipe
 * too.
 */
function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}
