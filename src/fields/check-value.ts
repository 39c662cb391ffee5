/** Asks the rules of a field of a value that the service itself has made. Compiled once for each field. */
import type { Value } from "../expressions/value.ts";
import type { FieldRule } from "./rule.ts";
import { type Check, compileChecks } from "./rules/index.ts";
import type { FieldType } from "./type.ts";

const compiled = new WeakMap<readonly FieldRule[], readonly Check[]>();

/** What is wrong, completing the field's name (`must be at least 1`), or undefined. */
export function checkValue(value: Value, type: FieldType, rules: readonly FieldRule[]): string | undefined {
  let checks = compiled.get(rules);
  if (!checks) {
    checks = compileChecks(rules, type);
    compiled.set(rules, checks);
  }
  for (const check of checks) {
    const words = check(value);
    if (words !== undefined) return words;
  }
  return undefined;
}
