/** `--fail-on`: which changes make `check --from` fail. */
import { WrongUsage } from "../command.ts";
import type { Severity } from "../../compare/rules.ts";

export const failures = {
  breaking: ["breaking"],
  careful: ["breaking", "careful"],
  none: [],
} as const satisfies Record<string, readonly Severity[]>;

export type FailOn = keyof typeof failures;

/** @throws WrongUsage */
export function failOnOf(text: string | undefined): FailOn {
  if (text === undefined || text === "breaking") return "breaking";
  if (text === "careful" || text === "none") return text;
  throw new WrongUsage(`--fail-on takes breaking, careful or none, not ${JSON.stringify(text)}.`);
}
