/** Rules about the parts of a value, for each key or each element: `keys length 1..40`. */
import type { Phrase } from "../../source/phrase.ts";
import type { FieldRule } from "../rule.ts";
import type { RuleReading } from "./field-rule-notation.ts";

export interface RuleOfParts<N extends string> {
  readonly rule: N;
  readonly of: FieldRule;
}

/**
 * The rule after `keys` or `each`.
 * @param expected the rules that it may be
 */
export function readInner<N extends string>(
  rule: N,
  rest: Phrase,
  expected: string,
  reading: RuleReading,
): RuleOfParts<N> | undefined {
  if (rest.text === "") return reading.unreadable(`\`${rule} length 1..40\` or another rule after it`);
  const of = reading.inner(rest, expected);
  return of && { rule, of };
}
