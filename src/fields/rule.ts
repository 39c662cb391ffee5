/** The rules of fields and inputs (part 2, "Rules"), as they stand in the model. One file each in `rules/`. */
import type { Expression } from "../expressions/node.ts";

export type FieldRule =
  | {
      readonly rule:
        | "required"
        | "nullable"
        | "empty is null"
        | "read-only"
        | "write-only"
        | "immutable"
        | "internal";
    }
  | { readonly rule: "shown once" | "unique" | "any case" | "distinct" | "merged" | "lower case" | "trimmed" }
  | { readonly rule: "default" | "on create" | "on update" | "computed"; readonly value: Expression }
  /** Bounds of a number, or (`times`, in milliseconds) of a duration. Either end may be missing. */
  | { readonly rule: "range"; readonly min?: number; readonly max?: number; readonly times?: true }
  /** Bounds of a string's code points, of a list's elements. */
  | { readonly rule: "length" | "items"; readonly min?: number; readonly max?: number }
  /** RE2 syntax, whole value. */
  | { readonly rule: "pattern"; readonly pattern: string }
  /** Of a map's keys, of a map's or a list's elements. */
  | { readonly rule: "keys" | "each"; readonly of: FieldRule }
  | { readonly rule: "on delete"; readonly then: "cascade" | "restrict" | "clear" };

export type RuleName = FieldRule["rule"];

/** The rule of that name, where the field has it. */
export function ruleOf<N extends RuleName>(
  rules: readonly FieldRule[],
  name: N,
): (FieldRule & { readonly rule: N }) | undefined {
  return rules.find((rule) => rule.rule === name) as (FieldRule & { readonly rule: N }) | undefined;
}

export function hasRule(rules: readonly FieldRule[], name: RuleName): boolean {
  return rules.some((rule) => rule.rule === name);
}

/** Set by the service alone: never sent in a request. */
export function isServiceSet(rules: readonly FieldRule[]): boolean {
  return rules.some(
    (rule) =>
      rule.rule === "read-only" ||
      rule.rule === "internal" ||
      rule.rule === "on create" ||
      rule.rule === "on update" ||
      rule.rule === "computed",
  );
}

export function isShownOnce(rules: readonly FieldRule[]): boolean {
  return hasRule(rules, "shown once");
}

/** Not in the standing shape. `shown once` fields are in it, in the answer to the request that set them. */
export function isHidden(rules: readonly FieldRule[]): boolean {
  return rules.some((rule) => rule.rule === "write-only" || rule.rule === "internal");
}
