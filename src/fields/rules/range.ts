/** `1..200`: bounds of a number, of an exact decimal as well; `1 minute..1 day`, of a duration. */
import type { Value } from "../../expressions/value.ts";
import { compareDecimals, readDecimal } from "../../expressions/decimal.ts";
import { durationInWords } from "../../support/quantity.ts";
import type { FieldType } from "../type.ts";
import type { Check, RuleOf, RuleWords } from "./field-rule-words.ts";

function compile(rule: RuleOf<"range">, type: FieldType): Check {
  const { min, max } = rule;
  const tooSmall = `must be at least ${boundWords(min, rule)}`;
  const tooLarge = `must be at most ${boundWords(max, rule)}`;
  if (type.kind === "decimal") {
    const below = decimalBound(min);
    const above = decimalBound(max);
    return (value) => {
      if (below !== undefined && compareDecimals(value as string, below) < 0) return tooSmall;
      return above !== undefined && compareDecimals(value as string, above) > 0 ? tooLarge : undefined;
    };
  }
  const least = min ?? Number.NEGATIVE_INFINITY;
  const most = max ?? Number.POSITIVE_INFINITY;
  return (value: Value) => {
    if ((value as number) < least) return tooSmall;
    return (value as number) > most ? tooLarge : undefined;
  };
}

/** A bound as a decimal. */
function decimalBound(bound: number | undefined): string | undefined {
  return bound === undefined ? undefined : (readDecimal(plainDigits(String(bound))) as string);
}

/** `1.5e-7` as `0.00000015`: beyond 10^21 and below 10^-6 numbers print with an exponent, which decimals don't have. */
function plainDigits(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

function words(rule: RuleOf<"range">): string {
  const [least, most] = [boundWords(rule.min, rule), boundWords(rule.max, rule)];
  if (rule.min === undefined) return `At most ${most}.`;
  return rule.max === undefined ? `At least ${least}.` : `From ${least} to ${most}.`;
}

/** One end as it is written: `200`, `1 day`; nothing where it is open. */
export function boundWords(bound: number | undefined, { times }: Pick<RuleOf<"range">, "times">): string {
  if (bound === undefined) return "";
  return times ? durationInWords(bound) : String(bound);
}

export const range: RuleWords<"range"> = {
  rule: "range",
  written: "1..200, 8.. or ..200",
  takes: "numbers",
  applies: (type) =>
    type.kind === "integer" || type.kind === "number" || type.kind === "decimal" || type.kind === "duration",
  compile,
  // The text of a decimal or of a duration has no bounds in JSON Schema.
  schema: ({ min, max }, type) =>
    type.kind === "decimal" || type.kind === "duration"
      ? {}
      : { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
  sentence: words,
};
