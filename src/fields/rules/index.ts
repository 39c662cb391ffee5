/** The rules of part 2, in the order in which they are asked; what changes a text comes before what judges it. */
import type { JsonSchema } from "../json-schema.ts";
import type { FieldRule, RuleName } from "../rule.ts";
import type { FieldType } from "../type.ts";
import { anyCase } from "./any-case.ts";
import { computed } from "./computed.ts";
import { defaultRule } from "./default.ts";
import { distinct } from "./distinct.ts";
import { each } from "./each.ts";
import { emptyIsNull } from "./empty-is-null.ts";
import type { RuleCheck, RuleWords } from "./field-rule-words.ts";
import { immutable } from "./immutable.ts";
import { internal } from "./internal.ts";
import { items } from "./items.ts";
import { keys } from "./keys.ts";
import { length } from "./length.ts";
import { lowerCase } from "./lower-case.ts";
import { merged } from "./merged.ts";
import { nullable } from "./nullable.ts";
import { onCreate } from "./on-create.ts";
import { onDelete } from "./on-delete.ts";
import { onUpdate } from "./on-update.ts";
import { pattern } from "./pattern.ts";
import { range } from "./range.ts";
import { readOnly } from "./read-only.ts";
import { required } from "./required.ts";
import { shownOnce } from "./shown-once.ts";
import { trimmed } from "./trimmed.ts";
import { unique } from "./unique.ts";
import { writeOnly } from "./write-only.ts";

export const ruleList: readonly { readonly rule: RuleName }[] = [
  trimmed,
  lowerCase,
  emptyIsNull,
  required,
  nullable,
  range,
  length,
  items,
  pattern,
  distinct,
  keys,
  each,
  merged,
  anyCase,
  unique,
  immutable,
  readOnly,
  writeOnly,
  internal,
  shownOnce,
  defaultRule,
  onCreate,
  onUpdate,
  computed,
  onDelete,
];

const byName = new Map<RuleName, RuleWords>(
  ruleList.map((words) => [words.rule, words as unknown as RuleWords]),
);

/** What a rule says of itself, by name. */
export function ruleWords(name: RuleName): RuleWords {
  return byName.get(name) as RuleWords;
}

/** The rules in the order in which they are asked, whatever the order in the document. */
export function inAskingOrder(rules: readonly FieldRule[]): readonly FieldRule[] {
  const place = (rule: FieldRule) => ruleList.findIndex((words) => words.rule === rule.rule);
  return rules.toSorted((a, b) => place(a) - place(b));
}

/** The rules that say in which form a text is kept: all that is compared with the field is brought into it first. */
export function rulesOfForm(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.filter((rule) => ruleWords(rule.rule).normalise !== undefined);
}

/** What makes that form of a text, as one function; undefined where it is kept as it comes. */
export function compileNormalise(rules: readonly FieldRule[]): ((text: string) => string) | undefined {
  const steps = inAskingOrder(rules).flatMap((rule) => ruleWords(rule.rule).normalise ?? []);
  return steps.length === 0 ? undefined : (text) => steps.reduce((changed, step) => step(changed), text);
}

/** Whether the rule may stand at a type; where not, `ruleWords(…).takes` says at which it may. */
export function ruleApplies(rule: FieldRule, type: FieldType): boolean {
  return ruleWords(rule.rule).applies(type);
}

/** The keywords that the rule adds to the schema of its type. */
export function ruleSchema(rule: FieldRule, type: FieldType): JsonSchema {
  return ruleWords(rule.rule).schema(rule, type, ruleWords);
}

/** The rule for people: `At most 120 characters.` */
export function ruleSentence(rule: FieldRule, type: FieldType): string {
  return ruleWords(rule.rule).sentence(rule, type, ruleWords);
}

/** What the rules ask of a value, in order; rules that don't apply to the type ask nothing. */
export function compileChecks(rules: readonly FieldRule[], type: FieldType): readonly RuleCheck[] {
  const checks: RuleCheck[] = [];
  for (const rule of inAskingOrder(rules)) {
    const words = ruleWords(rule.rule);
    if (words.compile && words.applies(type))
      checks.push(Object.assign(words.compile(rule, type, ruleWords), { rule }));
  }
  return checks;
}

/** Whether the rule asks something of a value that a request sends. */
export function judgesValues(rule: FieldRule, type: FieldType): boolean {
  const words = ruleWords(rule.rule);
  return words.compile !== undefined && words.applies(type);
}

export type { Check, RuleCheck, RuleWords } from "./field-rule-words.ts";
