/**
 * The rules of part 2, in the order of hints and of parsing. A rule without a keyword comes last.
 */
import { nonNull } from "../../support/non-null.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { FieldType } from "../type.ts";
import { anyCase } from "./any-case.ts";
import { computed } from "./computed.ts";
import { defaultRule } from "./default.ts";
import { deprecated } from "./deprecated.ts";
import { distinct } from "./distinct.ts";
import { each } from "./each.ts";
import { emptyIsNull } from "./empty-is-null.ts";
import type { AnyRule, Check, KeyFormsOf, RuleCheck, RuleWords } from "./field-rule-notation.ts";
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
import { sentAs } from "./sent-as.ts";
import { shownOnce } from "./shown-once.ts";
import { trimmed } from "./trimmed.ts";
import { unique } from "./unique.ts";
import { writeOnly } from "./write-only.ts";

export const ruleList = [
  required,
  nullable,
  emptyIsNull,
  readOnly,
  writeOnly,
  immutable,
  internal,
  shownOnce,
  unique,
  anyCase,
  distinct,
  merged,
  deprecated,
  sentAs,
  lowerCase,
  trimmed,
  defaultRule,
  onCreate,
  onUpdate,
  computed,
  length,
  items,
  pattern,
  keys,
  each,
  onDelete,
  range,
] as const;

/** By one member, which doesn't name `FieldRule`: the whole interface would make the type a circle. */
type RuleOf<Words> = Words extends { sentence(rule: infer Rule, ...others: never[]): string } ? Rule : never;

/** A rule of a field or an input in the model. */
export type FieldRule = RuleOf<(typeof ruleList)[number]>;

export type RuleName = FieldRule["rule"];

const byName = new Map<RuleName, RuleWords>(ruleList.map((words: RuleWords) => [words.rule, words]));

/** How rules start, for hints. */
export const ruleStarts: readonly string[] = ruleList.flatMap(
  ({ rule, starts }: RuleWords) => starts ?? rule,
);

/** The rules that check sent values. */
export const checkedRules: readonly RuleName[] = ruleList.flatMap(({ rule, compile }: RuleWords) =>
  compile ? rule : [],
);

/** The definition of a rule, by name. */
export function ruleWords(name: RuleName): RuleWords {
  return nonNull(byName.get(name));
}

/** The rules that change how a text is stored. Values that are compared with the field are normalized in the same way. */
export function rulesOfForm(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.filter((rule) => ruleWords(rule.rule).normalise !== undefined);
}

/** The normalization of a field's texts as one function. Undefined if texts are stored unchanged. */
export function compileNormalise(rules: readonly FieldRule[]): ((text: string) => string) | undefined {
  const steps = rules.flatMap((rule) => ruleWords(rule.rule).normalise ?? []);
  return steps.length === 0 ? undefined : (text) => steps.reduce((changed, step) => step(changed), text);
}

/**
 * Whether the rule may be applied to a type. If not, `ruleWords(…).takes` lists the allowed types.
 */
export function ruleApplies(rule: FieldRule, type: FieldType): boolean {
  return ruleWords(rule.rule).applies?.(type) ?? true;
}

/** As reports name it: `length 1..120`. */
export function ruleNamed(rule: FieldRule): string {
  return ruleWords(rule.rule).named?.(rule, any) ?? rule.rule;
}

/** The keywords that the rule adds to the schema of its type. */
export function ruleSchema(rule: FieldRule, type: FieldType): JsonSchema {
  return ruleWords(rule.rule).schema?.(rule, type, any) ?? {};
}

/** The rule for people: `At most 120 characters.` */
export function ruleSentence(rule: FieldRule, type: FieldType): string {
  return ruleWords(rule.rule).sentence(rule, type, any);
}

function ruleCheck(rule: FieldRule, type: FieldType, keyForms?: KeyFormsOf): Check | undefined {
  return ruleWords(rule.rule).compile?.(rule, type, any, keyForms);
}

const any: AnyRule = { named: ruleNamed, check: ruleCheck, schema: ruleSchema, sentence: ruleSentence };

/** Checks a value by the rules, in order; a rule that doesn't apply to the type checks nothing. */
export function compileChecks(
  rules: readonly FieldRule[],
  type: FieldType,
  keyForms?: KeyFormsOf,
): readonly RuleCheck[] {
  const rankOf = ({ rule }: FieldRule) =>
    ruleWords(rule).isCheckedLast ? ruleList.length : ruleList.findIndex((words) => words.rule === rule);
  return rules
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((rule) => {
      const check = ruleApplies(rule, type) ? ruleCheck(rule, type, keyForms) : undefined;
      return check ? Object.assign(check, { rule }) : [];
    });
}

/** Whether the rule applies to a single value, so that keys, elements and alternatives can have it. */
export function appliesToValue({ rule }: Pick<FieldRule, "rule">): boolean {
  const { compile, normalise, innerType } = ruleWords(rule);
  return (compile ?? normalise ?? innerType) !== undefined;
}

/** Whether the rule checks a value that a request sends. */
export function checksValues(rule: FieldRule, type: FieldType): boolean {
  return ruleWords(rule.rule).compile !== undefined && ruleApplies(rule, type);
}

export type { Misfit, RuleCheck, RuleOwner, RuleReading, RuleWords } from "./field-rule-notation.ts";
