/** Reads the arguments of a command with `util.parseArgs`; errors say what to write. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { durationMs } from "../support/quantity.ts";
import { nearest } from "../support/nearest.ts";
import { WrongArguments, WrongUsage } from "./command.ts";

export const portMax = 65_535;

export interface ArgumentRules<O extends ParseArgsOptionsConfig> {
  readonly options: O;
  /**
   * Names of the arguments without a dash, for messages; those in brackets may be left out:
   * `["FILE"]`, `["[FILE]"]`. The last may stand for several: `["FILE…"]`.
   */
  readonly positionals: readonly string[];
}

/** Options by name, and the other arguments. Throws `WrongUsage`. */
export function readArguments<const O extends ParseArgsOptionsConfig>(
  args: readonly string[],
  rules: ArgumentRules<O>,
) {
  const { options, positionals: names } = rules;
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  // A value may start with a dash (`--sort -price`, a cursor): `=` binds it to its option, because
  // Node would reject it.
  const tied = tokens.map((token) => {
    if (token.kind !== "option") return token.kind === "positional" ? token.value : "--";
    checkOption(token, options);
    return token.value === undefined ? `--${token.name}` : `--${token.name}=${token.value}`;
  });
  const { values, positionals } = parseArgs({ args: tied, options, allowPositionals: true });
  const required = names.filter((name) => !name.startsWith("["));
  if (positionals.length < required.length)
    throw new WrongArguments(`${required[positionals.length]?.replace("…", "")} is missing.`);
  if (positionals.length > names.length && !names.at(-1)?.endsWith("…"))
    throw new WrongArguments(`Unexpected argument "${positionals[names.length]}".`);
  return { values, positionals };
}

/** An unknown word, with the nearest known words, or with all of them. */
export function unknownWord(kind: string, word: string, known: readonly string[]): WrongUsage {
  return new WrongUsage(`Unknown ${kind} "${word}".${nearestOrAll(word, known)}`);
}

/**
 * Like `unknownWord`, for a word that decides how the command is called: the usage line is printed
 * too.
 */
export function unknownArgument(kind: string, word: string, known: readonly string[]): WrongArguments {
  return new WrongArguments(`Unknown ${kind} "${word}".${nearestOrAll(word, known)}`);
}

/** The number of words that one line of a message can name and stay readable. */
const namedMax = 15;

function nearestOrAll(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  if (suggestion !== undefined) return ` Did you mean ${suggestion}?`;
  return known.length > namedMax ? "" : ` Write one of ${known.join(", ")}.`;
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value follows `=`. */
  readonly inlineValue: boolean | undefined;
}

function checkOption(given: GivenOption, options: ParseArgsOptionsConfig): void {
  const { name, rawName, value } = given;
  const rule = options[name];
  if (!rule || (rawName.length === 2 && rule.short !== rawName[1])) {
    const known = Object.keys(options).map((option) => `--${option}`);
    throw new WrongUsage(`Unknown option ${rawName}.${nearestOrAll(rawName, known)}`);
  }
  // A value that looks like an option means that the value was forgotten.
  if (rule.type === "string" && (value === undefined || (value.startsWith("--") && !given.inlineValue)))
    throw new WrongUsage(`${rawName} needs a value.`);
  if (rule.type === "boolean" && value !== undefined) throw new WrongUsage(`${rawName} takes no value.`);
}

/** A whole number of an option, not negative. Throws `WrongUsage`. */
export function wholeNumber(option: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new WrongUsage(`${option} takes a whole number, not "${value}".`);
  return Number(value);
}

/** A port of this machine; 0 means any free one. Throws `WrongUsage`. */
export function portNumber(option: string, value: string): number {
  const port = wholeNumber(option, value);
  if (port > portMax) throw new WrongUsage(`${option} takes a port between 0 and ${portMax}, not ${value}.`);
  return port;
}

const shortUnits: Readonly<Record<string, string>> = { s: "seconds", m: "minutes", h: "hours", d: "days" };

/** A length of time as `1 hour` or `1h`, in milliseconds. Throws `WrongUsage`. */
export function duration(option: string, value: string): number {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(value) ?? [];
  const ms = durationMs(count === undefined ? value : `${count} ${shortUnits[unit]}`);
  if (ms === undefined || ms === 0)
    throw new WrongUsage(`${option} takes a time such as 1h, 30m or "1 day", not "${value}".`);
  return ms;
}

/** The names in a list separated by commas, of an option that may be given several times. */
export function namesIn(option: readonly string[] = []): readonly string[] {
  return option.flatMap((names) => names.split(",")).flatMap((name) => name.trim() || []);
}
