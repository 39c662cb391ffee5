/**
 * The log as text: one short line for each request, other entries as sentences, and a handler's
 * stack with the author's own frames.
 */
import { createPaint } from "../../../diagnostics/formats/paint.ts";
import type { Log } from "../../../engine/ports.ts";
import type { Terminal } from "../../terminal.ts";
import { isRequestEntry, type RequestEntry, requestMessage } from "./request-log.ts";
import { shortStack } from "./short-stack.ts";

export function createPrettyLog(terminal: Terminal): Log {
  const paint = createPaint(terminal.errorsInColour === true);
  const write = (text: string) => terminal.printError(`${paint("dim", timeNow())} ${text}\n`);
  const print = (fields: Readonly<Record<string, unknown>>, message: string, word: string) => {
    const { error, ...rest } = fields;
    const facts = Object.entries(rest).map(([name, value]) => ` ${paint("dim", `${name}=`)}${plain(value)}`);
    const stack = typeof error === "string" ? `\n${indented(shortStack(error))}` : "";
    write(`${word}${message}${facts.join("")}${stack}`);
  };
  const request = ({ method, path, status, ms, space, caller, line, gap }: RequestEntry) => {
    const tone = status >= 500 ? "error" : status >= 400 ? "warning" : "good";
    const facts = [
      ...(space === undefined ? [] : [`in ${space}`]),
      ...(caller === undefined ? [] : [plain(caller)]),
      ...(line === undefined ? [] : [`because line ${line}`]),
      ...(gap === undefined ? [] : [`doesn't show ${plain(gap)}: ninefold next lists it`]),
    ];
    const details = facts.length === 0 ? "" : ` ${paint("dim", facts.join(" "))}`;
    write(`${plain(method)} ${plain(path)} ${paint(tone, String(status))} ${shortMs(ms)}${details}`);
  };
  return {
    info(fields, message) {
      if (message === requestMessage && isRequestEntry(fields)) request(fields);
      else print(fields, message, "");
    },
    warn: (fields, message) => print(fields, message, `${paint("warning", "warning")} `),
    error: (fields, message) => print(fields, message, `${paint("error", "error")} `),
  };
}

function timeNow(): string {
  const now = new Date();
  return [now.getHours(), now.getMinutes(), now.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

function shortMs(ms: number): string {
  return `${ms >= 10 ? Math.round(ms) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)} ms`;
}

/**
 * Removes control characters: text from a caller must not move the terminal's cursor or change its
 * colours.
 */
function plain(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (text ?? "").replace(/\p{Cc}/gu, "?");
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `         ${plain(line)}`)
    .join("\n");
}
