/**
 * Condition trees: what a function of the module returns for a `Where: any of …`. Its form is
 * checked here; `actions/requested-condition.ts` checks fields and values.
 */
import { HandlerMistake } from "../handler-module.ts";
import type { Json } from "../../support/json.ts";
import { toJson } from "./plain.ts";

export const comparisons = [
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "contains",
  "startsWith",
  "endsWith",
  "matches",
] as const;

export interface Comparison {
  readonly field: string;
  readonly is: (typeof comparisons)[number];
  readonly value: Json;
  readonly ignoreCase: boolean;
}

export type ConditionTree =
  | Comparison
  | { readonly and: readonly ConditionTree[] }
  | { readonly or: readonly ConditionTree[] }
  | { readonly not: ConditionTree }
  /** The request is rejected with this problem. */
  | { readonly invalid: string };

/** The bounds of a tree. A request beyond them is rejected. `values` are those of all `in` together. */
export const conditionLimits = { depth: 16, comparisons: 100, values: 1_000 } as const;

/**
 * Reads the tree that a function returned. A tree beyond the bounds becomes `invalid`.
 * @throws HandlerMistake if it isn't a condition
 */
export function readConditionTree(answer: unknown): ConditionTree {
  const left = { comparisons: conditionLimits.comparisons, values: conditionLimits.values };
  const invalid: string[] = [];
  const beyond = (problem: string): ConditionTree => {
    invalid.push(problem);
    return { invalid: problem };
  };

  const read = (given: unknown, depth: number): ConditionTree => {
    if (invalid.length > 0) return { invalid: "" };
    if (typeof given !== "object" || given === null || Array.isArray(given))
      throw new HandlerMistake("a condition must be an object");
    if (depth > conditionLimits.depth) return beyond(`is nested deeper than ${conditionLimits.depth} levels`);
    const members: Readonly<Record<string, unknown>> = { ...given };
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    const only = keys.length === 1 ? keys[0] : undefined;
    if ("invalid" in given && only === "invalid") return beyond(textOf(given.invalid, "invalid"));
    if ("not" in given && only === "not") return { not: read(given.not, depth + 1) };
    if ("and" in given && only === "and") return { and: readAll(given.and, "and", depth) };
    if ("or" in given && only === "or") return { or: readAll(given.or, "or", depth) };
    const { field, is, value, ignoreCase = false, ...others } = members;
    const [other] = Object.keys(others);
    if (other !== undefined || field === undefined)
      throw new HandlerMistake(
        `a condition has the keys \`field\`, \`is\` and \`value\`, or one of \`and\`, \`or\`, \`not\` and \`invalid\`, but this one has ${keys.map((key) => `\`${key}\``).join(", ") || "none"}`,
      );
    return comparison(textOf(field, "field"), is, value, ignoreCase);
  };

  const readAll = (given: unknown, key: string, depth: number): ConditionTree[] => {
    if (!Array.isArray(given)) throw new HandlerMistake(`\`${key}\` of a condition must be a list`);
    const parts: ConditionTree[] = [];
    const written: readonly unknown[] = given;
    for (const part of written) {
      parts.push(read(part, depth + 1));
      if (invalid.length > 0) break;
    }
    return parts;
  };

  const comparison = (field: string, is: unknown, sent: unknown, ignoreCase: unknown): ConditionTree => {
    const operator = comparisons.find((known) => known === is);
    if (!operator) throw new HandlerMistake(`\`is\` of a condition must be one of ${comparisons.join(" ")}`);
    if (typeof ignoreCase !== "boolean")
      throw new HandlerMistake("`ignoreCase` of a condition must be a boolean");
    // A missing value is most often a forgotten one, and a comparison with null would select other records.
    if (sent === undefined) throw new HandlerMistake(`the comparison of \`${field}\` has no \`value\``);
    left.comparisons -= 1;
    if (Array.isArray(sent)) left.values -= sent.length;
    if (left.comparisons < 0) return beyond(`has more than ${conditionLimits.comparisons} comparisons`);
    if (left.values < 0) return beyond(`has more than ${conditionLimits.values} values`);
    const value = toJson(sent, () => undefined);
    if (operator === "in" && !Array.isArray(value))
      throw new HandlerMistake(`the \`value\` of \`${field}\` \`in\` must be a list`);
    return { field, is: operator, value, ignoreCase };
  };

  const tree = read(answer, 1);
  const [problem] = invalid;
  return problem === undefined ? tree : { invalid: problem };
}

function textOf(given: unknown, key: string): string {
  if (typeof given === "string") return given;
  throw new HandlerMistake(`\`${key}\` of a condition must be a text`);
}
