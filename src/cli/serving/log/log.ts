/** Log of `serve`: a short line for a terminal, a line of JSON for a program. */
import pino from "pino";
import type { Log } from "../../../engine/ports.ts";
import type { Terminal } from "../../terminal.ts";
import { createPrettyLog } from "./pretty-log.ts";

/** `none`: no line for each request; all other lines remain. */
export const logForms = ["pretty", "json", "none"] as const;
export type LogForm = (typeof logForms)[number];

/** From the most verbose: each request, operational messages, faults. */
export const logLevels = ["info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** Default: depends on whether the output is a terminal. */
  readonly form?: LogForm | undefined;
  /** Lower levels aren't logged. */
  readonly level?: LogLevel | undefined;
}

export function createLog(terminal: Terminal, { form, level = "info" }: LogOptions = {}): Log {
  const log = createWholeLog(terminal, form);
  const least = logLevels.indexOf(terminal.isQuiet ? "error" : level);
  const writer = (of: LogLevel): Log["info"] =>
    logLevels.indexOf(of) < least ? () => {} : (fields, message) => log[of](fields, message);
  return { info: writer("info"), warn: writer("warn"), error: writer("error") };
}

/** Whether each request is logged. */
export function logsRequests(terminal: Terminal, { form, level = "info" }: LogOptions): boolean {
  return form !== "none" && level === "info" && !terminal.isQuiet;
}

function createWholeLog(terminal: Terminal, form: LogForm | undefined): Log {
  const isPretty =
    form === undefined || form === "none" ? terminal.errorsToTerminal === true : form === "pretty";
  if (isPretty) return createPrettyLog(terminal);
  const stream = { write: (line: string) => (terminal.writeLog ?? terminal.printError)(line) };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
