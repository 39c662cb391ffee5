/** What `serve` logs: a short line for whoever looks at a terminal, a line of JSON for a program. */
import pino from "pino";
import type { Log } from "../../engine/ports.ts";
import type { Terminal } from "../terminal.ts";
import { createPrettyLog } from "./pretty-log.ts";

/** `none`: no line for each request; all else as it would be. */
export const logForms = ["pretty", "json", "none"] as const;
export type LogForm = (typeof logForms)[number];

/** @param form what was asked for; else what suits whoever reads it */
export function createLog(terminal: Terminal, form?: LogForm): Log {
  const log = createWholeLog(terminal, form);
  return terminal.isQuiet
    ? { info() {}, warn() {}, error: (fields, message) => log.error(fields, message) }
    : log;
}

function createWholeLog(terminal: Terminal, form: LogForm | undefined): Log {
  const isPretty =
    form === undefined || form === "none" ? terminal.complainsToTerminal === true : form === "pretty";
  if (isPretty) return createPrettyLog(terminal);
  const stream = { write: (line: string) => terminal.complain(line) };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
