/** Asks the rules of a field of a value that came by no request: the service itself has made it, or a person has written it down. */
import type { Value } from "../expressions/value.ts";
import type { FieldRule } from "./rule.ts";
import { type Check, compileChecks } from "./rules/index.ts";
import type { FieldType } from "./type.ts";
import { Refusal, scalarTypes } from "./types/index.ts";

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

/**
 * A value that a person has written for a field (a `default`, a `Given`, `data add`), in the form in which the type keeps it: texts of a form
 * of their own are read as a request's would be. A `Refusal` says what is wrong.
 */
export function readWritten(value: Value, type: FieldType): Value | Refusal {
  if (type.kind === "list" && Array.isArray(value)) {
    const items = value.map((item: Value) => (item === null ? null : readWritten(item, type.of)));
    return items.find((item) => item instanceof Refusal) ?? (items as Value[]);
  }
  if (typeof value !== "string") return value;
  switch (type.kind) {
    case "email":
    case "uri":
    case "uuid":
      return scalarTypes[type.kind].readText(value, { timestamps: "milliseconds" });
    default:
      return value;
  }
}
