/**
 * Rule compatibility: whether rules fit their type, their owner and each other, as `fields/rules/`
 * defines. A rule that doesn't fit is reported and left out of the model.
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { FieldRule, RuleName } from "../../../fields/rule.ts";
import {
  type Misfit,
  ruleApplies,
  ruleList,
  type RuleOwner,
  ruleWords,
  type RuleWords,
} from "../../../fields/rules/index.ts";
import { appliesToAlternative } from "../../../fields/types/either.ts";
import type { FieldType } from "../../../fields/type.ts";
import { positionIn } from "../../../source/phrase.ts";
import type { RuleSyntax } from "./field-rules.ts";
import { typeWords } from "../../../fields/type-words.ts";

/** Reports rules that don't fit, and returns the others. */
export function fittingRules(
  rules: readonly RuleSyntax[],
  type: FieldType,
  owner: RuleOwner,
  reporter: Reporter,
): RuleSyntax[] {
  const fitting = rules.filter(({ phrase, rule }) => {
    const params = misfit(rule, type, owner);
    if (params)
      reporter.report("resources/rule-misfit", positionIn(phrase), {
        rule: writtenRule({ phrase, rule }),
        ...params,
      });
    return !params;
  });
  return withoutContradictions(fitting, type, owner, reporter);
}

function misfit(
  rule: FieldRule,
  type: FieldType,
  owner: RuleOwner,
): (Misfit & { takes?: string }) | undefined {
  const { places, takes, misfit: ownMisfit, innerType } = ruleWords(rule.rule);
  if (places?.includes(owner) === false) return { subject: ownerNames[owner], fitting: [] };
  // Rules aren't checked if the type is a gap or unreadable.
  if (type.kind === "not shown") return undefined;
  const alternatives = type.kind === "json" ? (type.either ?? []) : [];
  if (
    alternatives.some(
      (alternative) => appliesToAlternative(rule, alternative) && !misfit(rule, alternative, owner),
    )
  )
    return undefined;
  if (!ruleApplies(rule, type)) {
    const fitting = ruleList.flatMap(({ bounds, applies }: RuleWords) =>
      bounds && applies?.(type) ? bounds(type) : [],
    );
    return { subject: typeWords(type), ...(takes === undefined ? {} : { takes }), fitting };
  }
  const own = ownMisfit?.(rule, type);
  return own ?? ("of" in rule && innerType ? misfit(rule.of, innerType(type), owner) : undefined);
}

const ownerNames: Readonly<Record<RuleOwner, string>> = {
  field: "a field",
  value: "a field of a value, which has no life of its own",
  part: "a part of an object, which has no life of its own",
  input: "an input",
};

function withoutContradictions(
  rules: readonly RuleSyntax[],
  type: FieldType,
  owner: RuleOwner,
  reporter: Reporter,
): RuleSyntax[] {
  const dropped = new Set<RuleSyntax>();
  const clash = (first: RuleSyntax, second: RuleSyntax): void => {
    const related = [{ position: positionIn(first.phrase), message: "First defined here." }];
    const params = { rule: writtenRule(second), other: writtenRule(first) };
    reporter.report("resources/rules-contradict", positionIn(second.phrase), params, related);
    dropped.add(second);
  };
  // An input may have to be sent, and be null.
  const mayBeBoth = (rule: RuleName) => owner === "input" && (rule === "required" || rule === "nullable");
  const contradicts = ({ rule }: RuleSyntax, other: RuleSyntax) =>
    ruleWords(rule.rule).contradicts?.includes(other.rule.rule) &&
    !(mayBeBoth(rule.rule) && mayBeBoth(other.rule.rule));
  const unlike = rules.filter(
    ({ rule }, at) => rules.findIndex((candidate) => candidate.rule.rule === rule.rule) === at,
  );
  for (const [at, second] of unlike.entries())
    for (const first of unlike.slice(0, at))
      if (contradicts(first, second) || contradicts(second, first)) clash(first, second);
  const required = rules.find(({ rule }) => rule.rule === "required");
  const clearing = rules.find(({ rule }) => rule.rule === "on delete" && rule.then === "clear");
  if (required && clearing && type.kind === "reference") clash(required, clearing);
  return rules.filter((rule) => !dropped.has(rule));
}

/**
 * The rule as a message quotes it: without backticks, and `= …` if the expression has a block of
 * its own.
 */
export function writtenRule({ phrase, rule }: RuleSyntax): string {
  if (rule.rule === "computed" && !phrase.text.startsWith("=")) return "= …";
  return phrase.text.replaceAll("`", "");
}
