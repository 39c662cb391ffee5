/**
 * Settings of `ninefold serve` besides its arguments: each option is an environment variable too,
 * and an `--env-file` has variables that the environment lacks. An argument overrides a variable,
 * and a variable overrides the file.
 */
import { readFileSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseEnv } from "node:util";
import { nearest } from "../../support/nearest.ts";
import { WrongUsage } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { codeOf } from "../../support/failure.ts";

type Environment = Terminal["environment"];
type Values = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Variables that aren't named after their option, mostly because `ninefold sandbox` and the tests
 * of Ninefold use those names.
 */
const otherNames: Readonly<Record<string, string>> = {
  operations: "NINEFOLD_OPERATIONS_PORT",
  seed: "NINEFOLD_SEED_FILE",
};

/** Variables that are not options of `serve`. */
const furtherNames = ["NINEFOLD_OPERATIONS_TOKEN", "NINEFOLD_OPERATIONS", "NINEFOLD_LAUNCHED"];

/** For developers of Ninefold, not for a service. */
const ofDevelopers = /^NINEFOLD_(?:TEST_.*|AGREEMENT_.*|BROWSER|SEED|RUNS)$/;

/** The variable of an option: `NINEFOLD_TRUST_PROXY` for `--trust-proxy`. */
function variableOf(option: string): string {
  return otherNames[option] ?? `NINEFOLD_${option.replaceAll("-", "_").toUpperCase()}`;
}

/** The variables of the process, then those of a file. @throws WrongUsage */
export function environmentWith(file: string | undefined, environment: Environment): Environment {
  if (file === undefined) return environment;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new WrongUsage(`--env-file ${file} can't be read: ${codeOf(error)}.`);
  }
  judgeEnvFile(file, text);
  return { ...parseEnv(text), ...environment };
}

/** An empty line, a comment, or a variable, whose quoted value may span several lines. */
const variableOrNone =
  /[^\S\n]*(?:#[^\n]*|(?:export\s+)?[A-Za-z_]\w*[^\S\n]*=[^\S\n]*(?:(["'`])[\s\S]*?\1[^\n]*|(?<open>["'`]?)[^\n]*))?(?:\n|$)/y;

/** Rejects a line that isn't a variable, a comment or empty. @throws WrongUsage */
function judgeEnvFile(file: string, text: string): void {
  for (let at = 0; at < text.length; ) {
    variableOrNone.lastIndex = at;
    const found = variableOrNone.exec(text);
    const line = text.slice(0, at).split("\n").length;
    if (!found)
      throw new WrongUsage(
        `${file}:${line} is not NAME=value. Write such a line, an empty one, or a comment that begins with #.`,
      );
    if (found.groups?.["open"])
      throw new WrongUsage(
        `${file}:${line} has no closing ${found.groups["open"]}. Add it at the end of the value.`,
      );
    at = variableOrNone.lastIndex;
  }
}

export interface Settings<V> {
  /** The arguments, and the environment for those that are absent. */
  readonly values: V;
  /** Names of the options that the environment has set. */
  readonly fromEnvironment: ReadonlySet<string>;
}

/** @throws WrongUsage */
export function settingsOf<V extends Values>(
  values: V,
  options: ParseArgsOptionsConfig,
  environment: Environment,
): Settings<V> {
  const found: Record<string, string | boolean> = {};
  for (const [name, { type }] of Object.entries(options)) {
    const text = environment[variableOf(name)];
    if (text === undefined || text === "" || values[name] !== undefined) continue;
    if (isLeftOut(name, values)) continue;
    found[name] = type === "boolean" ? isWanted(variableOf(name), text) : text;
  }
  return { values: { ...values, ...found }, fromEnvironment: new Set(Object.keys(found)) };
}

/** An argument overrides the variable of the opposite option. */
const counterparts: Readonly<Record<string, readonly string[]>> = {
  operations: ["no-operations"],
  "operations-host": ["no-operations"],
  "no-operations": ["operations", "operations-host"],
  // A sandbox doesn't create test data in the store that the environment names.
  store: ["sandbox"],
};

function isLeftOut(name: string, values: Values): boolean {
  return (counterparts[name] ?? []).some((counterpart) => values[counterpart] !== undefined);
}

function isWanted(variable: string, text: string): boolean {
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false") return false;
  throw new WrongUsage(`${variable} takes 1 or 0, not "${text}".`);
}

/**
 * Environment variables that look like settings but aren't, and are probably mistyped. One sentence
 * for each.
 */
export function unknownVariables(
  options: ParseArgsOptionsConfig,
  environment: Environment,
): readonly string[] {
  const known = [...Object.keys(options).map(variableOf), ...furtherNames];
  return Object.keys(environment)
    .filter((name) => name.startsWith("NINEFOLD_") && !known.includes(name) && !ofDevelopers.test(name))
    .map((name) => {
      const suggestion = nearest(name, known);
      return `Unknown variable ${name}.${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`}`;
    });
}

/**
 * The effective settings, one line each, with their origin: `port = 4545 (NINEFOLD_PORT)`.
 * Passwords aren't shown.
 */
export function settingsTable(
  options: ParseArgsOptionsConfig,
  given: Values,
  { values, fromEnvironment }: Settings<Values>,
): string {
  const lines = Object.keys(options).flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    const from = fromEnvironment.has(name) && given[name] === undefined ? variableOf(name) : `--${name}`;
    return [`${name} = ${shown(value)} (${from})\n`];
  });
  return lines.length === 0
    ? "Nothing is set: every option has its default (`ninefold serve --help`).\n"
    : lines.join("");
}

/** Hides a possible password, even one with characters that are invalid in a URL. */
function shown(value: string | boolean): string {
  return String(value)
    .replace(/(:\/\/[^:/?#@]*:).*@/, "$1***@")
    .replace(/([?&][^=&]*password=)[^&]*/gi, "$1***");
}
