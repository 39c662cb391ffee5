/** Rules of fields and inputs (part 2, "Rules"), found by name. Each has a file in `rules/`. */
import { type FieldRule, type RuleName, ruleWords } from "./rules/index.ts";

export type { FieldRule, RuleName } from "./rules/index.ts";

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

/**
 * Whether the rule checks a value as it was sent. The number of keys of a `merged` map is checked
 * after merging.
 */
export function rulesOfSent(rules: readonly FieldRule[]): readonly FieldRule[] {
  return hasRule(rules, "merged") ? rules.filter(({ rule }) => rule !== "items") : rules;
}

/** Set by the service alone: never sent in a request. */
export function isServiceSet(rules: readonly FieldRule[]): boolean {
  return rules.some(({ rule }) => ruleWords(rule).isServiceSet);
}

/** The name in requests and responses, where it isn't the document's. */
export function sentName(rules: readonly FieldRule[]): string | undefined {
  return ruleOf(rules, "sent as")?.name;
}

export function isShownOnce(rules: readonly FieldRule[]): boolean {
  return hasRule(rules, "shown once");
}

/**
 * Not in the default representation. `shown once` fields are part of it, in the response to the
 * request that set them.
 */
export function isHidden(rules: readonly FieldRule[]): boolean {
  return rules.some(({ rule }) => ruleWords(rule).isHidden);
}
