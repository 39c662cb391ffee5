/**
 * Whether rules fit the type that they stand beside, the place, and one another. What types a rule is for is said in `fields/rules/`; a rule
 * that doesn't fit is reported and left out, so that nothing behind meets it.
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { FieldRule, RuleName } from "../../../fields/rule.ts";
import { ruleApplies, ruleWords } from "../../../fields/rules/index.ts";
import { isOfAlternative } from "../../../fields/types/either.ts";
import type { FieldType } from "../../../fields/type.ts";
import { positionIn } from "../../../source/phrase.ts";
import type { RuleSyntax } from "./field-rules.ts";
import { typeWords } from "../../../fields/type-words.ts";

/** Where a rule stands: a field of a resource, of a value, a part of an object, or an input that is no field. */
export type RulePlace = "field" | "value" | "part" | "input";

/** Rules that only a field of a record can have, for something has to happen to the record; `computed` is in between. */
const placesOf: Readonly<Partial<Record<RuleName, readonly RulePlace[]>>> = {
  "on create": ["field"],
  "on update": ["field"],
  computed: ["field", "value"],
  "read-only": ["field", "value", "part"],
  "write-only": ["field", "value", "part"],
  internal: ["field", "value", "part"],
  immutable: ["field"],
  "shown once": ["field"],
  unique: ["field"],
  "any case": ["field"],
  merged: ["field"],
  "on delete": ["field"],
};

/** The rules that can bound a value, told where one was taken that can't bound its type. */
const bounding: readonly FieldRule[] = [
  { rule: "range" },
  { rule: "length" },
  { rule: "items" },
  { rule: "pattern", pattern: "" },
];

/** Pairs that say the opposite of one another, or of which one is never looked at. */
const contradictions: readonly (readonly [RuleName, RuleName])[] = [
  ["required", "nullable"],
  ["read-only", "write-only"],
  ["write-only", "shown once"],
  ["internal", "shown once"],
  ["computed", "default"],
  ["computed", "on create"],
  ["computed", "on update"],
  ["computed", "unique"],
  ["computed", "immutable"],
  ["computed", "write-only"],
  ["computed", "shown once"],
  ["computed", "required"],
  ["computed", "nullable"],
  ["on create", "default"],
];

/** Reports rules that don't fit and gives those that do. */
export function fittingRules(
  rules: readonly RuleSyntax[],
  type: FieldType,
  place: RulePlace,
  reporter: Reporter,
): RuleSyntax[] {
  const kept = rules.filter(({ phrase, rule }) => {
    const params = misfit(rule, type, place);
    if (params)
      reporter.report("resources/rule-misfit", positionIn(phrase), {
        rule: writtenRule({ phrase, rule }),
        ...params,
      });
    return !params;
  });
  return withoutContradictions(kept, type, reporter);
}

const timesWritten = "1 minute..1 day";

interface Misfit {
  /** What it stands at: `a list`, `an input`. */
  readonly subject: string;
  /** The types that it is for. */
  readonly takes?: string;
  /** How rules are written that would fit. */
  readonly fitting: readonly string[];
}

function misfit(rule: FieldRule, type: FieldType, place: RulePlace): Misfit | undefined {
  if (placesOf[rule.rule]?.includes(place) === false) return { subject: placeWords[place], fitting: [] };
  // Of a type that is a gap, or that couldn't be read, nothing is said.
  if (type.kind === "not shown") return undefined;
  const alternatives = type.kind === "json" ? (type.either ?? []) : [];
  if (alternatives.some((one) => isOfAlternative(rule, one) && !misfit(rule, one, place))) return undefined;
  if (!ruleApplies(rule, type)) {
    const { takes } = ruleWords(rule.rule);
    const fitting = bounding
      .filter((one) => ruleApplies(one, type))
      .map((one) => (type.kind === "duration" ? timesWritten : ruleWords(one.rule).written));
    return { subject: typeWords(type), ...(takes === undefined ? {} : { takes }), fitting };
  }
  if (rule.rule === "range" && (type.kind === "duration") !== (rule.times === true)) {
    return type.kind === "duration"
      ? { subject: "a duration, whose bounds are times", fitting: [timesWritten] }
      : { subject: `${typeWords(type)}, whose bounds are numbers`, fitting: ["1..200"] };
  }
  if (rule.rule === "range" && type.kind === "integer" && ![rule.min, rule.max].every(isWholeOrOpen)) {
    return { subject: "an integer, whose bounds are whole numbers", fitting: [] };
  }
  if (rule.rule === "keys") return misfit(rule.of, { kind: "string" }, place);
  if (rule.rule === "each" && (type.kind === "list" || type.kind === "map"))
    return misfit(rule.of, type.of, place);
  return undefined;
}

function isWholeOrOpen(bound: number | undefined): boolean {
  return bound === undefined || Number.isSafeInteger(bound);
}

const placeWords: Readonly<Record<RulePlace, string>> = {
  field: "a field",
  value: "a field of a value, which has no life of its own",
  part: "a part of an object, which has no life of its own",
  input: "an input",
};

function withoutContradictions(
  rules: readonly RuleSyntax[],
  type: FieldType,
  reporter: Reporter,
): RuleSyntax[] {
  const dropped = new Set<RuleSyntax>();
  const clash = (first: RuleSyntax, second: RuleSyntax): void => {
    const related = [{ position: positionIn(first.phrase), message: "The other one stands here." }];
    const params = { rule: writtenRule(second), other: writtenRule(first) };
    reporter.report("resources/rules-contradict", positionIn(second.phrase), params, related);
    dropped.add(second);
  };
  for (const [one, other] of contradictions) {
    const [first, second] = rules.filter(({ rule }) => rule.rule === one || rule.rule === other);
    if (first && second && first.rule.rule !== second.rule.rule) clash(first, second);
  }
  const required = rules.find(({ rule }) => rule.rule === "required");
  const clearing = rules.find(({ rule }) => rule.rule === "on delete" && rule.then === "clear");
  if (required && clearing && type.kind === "reference") clash(required, clearing);
  return rules.filter((rule) => !dropped.has(rule));
}

/** The rule as a message quotes it: without backticks, and `= …` where the expression stands in a block of its own. */
export function writtenRule({ phrase, rule }: RuleSyntax): string {
  if (rule.rule === "computed" && !phrase.text.startsWith("=")) return "= …";
  return phrase.text.replaceAll("`", "");
}
