/** Reports an error that ends a command, as text or as JSON, and returns the exit code. */
import { type ErrorKind, NinefoldError } from "../support/ninefold-error.ts";
import { type Command, exitCodes, WrongArguments } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** The command that failed, and its arguments. */
export interface CommandCall {
  readonly command: Pick<Command, "name" | "usage">;
  readonly args: readonly string[];
}

/**
 * With `--json`, the error is a JSON object on standard output, in place of the command's result:
 * `{"error": {"message", "hint"}}`. Otherwise it is text on standard error.
 * @throws the error itself if it is an internal fault
 */
export function failure(error: unknown, call: CommandCall, terminal: Terminal): number {
  if (!(error instanceof NinefoldError)) throw error;
  const { message } = error;
  const hint = error.kind === "usage" ? hintOf(error, call) : undefined;
  const separator = error instanceof WrongArguments ? "\n" : " ";
  if (requestsJson(call.args)) terminal.write(errorJson(message, hint));
  else
    terminal.printError(
      `ninefold ${call.command.name}: ${message}${hint === undefined ? "" : `${separator}${hint}`}\n`,
    );
  return exitCodeOf[error.kind];
}

/** `{"error": {"message", "hint"}}`, without `hint` if there is none. */
export function errorJson(message: string, hint?: string): string {
  return `${JSON.stringify({ error: { message, hint } }, null, 2)}\n`;
}

/** Whether `--json` is among the arguments before `--`. */
export function requestsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).includes("--json");
}

const exitCodeOf: Readonly<Record<ErrorKind, number>> = {
  usage: exitCodes.usage,
  refused: exitCodes.failed,
  conflict: exitCodes.failed,
  unavailable: exitCodes.environment,
};

function hintOf(error: NinefoldError, { command, args }: CommandCall): string {
  const more = `See \`ninefold ${command.name} --help\`.`;
  return error instanceof WrongArguments ? `${usageLines(command, args[0])}\n${more}` : more;
}

/** The usage lines of the command, or those of the action that was typed. */
function usageLines({ name, usage }: CommandCall["command"], action = ""): string {
  const [block = ""] = usage.split("\n\n");
  const forms = block.replace(/^Usage: /, "").split(/\n {7}(?=ninefold )/);
  const ofAction = forms.filter(
    (form) => form.startsWith(`ninefold ${name} ${action} `) || form.includes(`| ${action} `),
  );
  const shown = /^[a-z]+$/.test(action) && ofAction.length > 0 ? ofAction : forms;
  return `Usage: ${shown.join("\n       ")}`;
}
