/** What `serve` logs, a line of JSON for each. */
import pino from "pino";
import type { Log } from "../../engine/ports.ts";
import type { Terminal } from "../terminal.ts";

export function createLog(terminal: Terminal): Log {
  const stream = { write: (line: string) => terminal.complain(line) };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
