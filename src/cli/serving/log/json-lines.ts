/**
 * `serve --log json`: every line on stderr is JSON, including lines from outside the log (warnings
 * at the start, failures, Node's warnings).
 */
import { stackOf } from "../../../support/failure.ts";
import { type Command, exitCodes } from "../../command.ts";
import { failure } from "../../failure.ts";
import type { Terminal } from "../../terminal.ts";
import { createLog } from "./log.ts";

/** @param work gets a terminal whose error output becomes lines of the log */
export async function inJsonLines(
  terminal: Terminal,
  command: Command,
  work: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  const log = createLog({ ...terminal, isQuiet: false }, { form: "json" });
  const lines: Terminal = {
    ...terminal,
    // No colours, no progress bars.
    errorsInColour: false,
    errorsToTerminal: false,
    printError: (text) => log.warn({}, text.trim()),
    writeLog: (line) => terminal.printError(line),
  };
  const warningListeners = process.listeners("warning");
  const onWarning = (warning: Error) => log.warn({ warning: warning.name }, warning.message);
  process.removeAllListeners("warning").on("warning", onWarning);
  try {
    return await work(lines);
  } catch (error) {
    try {
      const call = { command, args: [] };
      return failure(error, call, { ...lines, printError: (text) => log.error({}, text.trim()) });
    } catch {
      log.error({ error: stackOf(error) }, "a fault");
      return exitCodes.failed;
    }
  } finally {
    process.off("warning", onWarning);
    for (const listener of warningListeners) process.on("warning", listener);
  }
}
