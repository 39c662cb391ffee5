/**
 * Parses a Rules cell (part 2, and the input tables of part 4): each rule is read by its own file
 * in `fields/rules`. Expressions stay phrases until all names are known. `rules-fit.ts` checks
 * whether a rule fits its field.
 */
import { types } from "../../../expressions/type.ts";
import type { FieldRule, RuleName } from "../../../fields/rule.ts";
import {
  appliesToValue,
  ruleList,
  type RuleReading,
  ruleStarts,
  type RuleWords,
} from "../../../fields/rules/index.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { afterWord, endsNotShown, isEmpty, isNotShown, keyText } from "../../../syntax/read.ts";
import type { Gap, OpenRules } from "../../model.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { FieldContext } from "./field-type.ts";
import { ruleInOurWords } from "./rule-suggestion.ts";

export interface RuleSyntax {
  readonly phrase: Phrase;
  /** For a rule with an expression, `value` is a placeholder: a literal null. */
  readonly rule: FieldRule;
  readonly expression?: Phrase;
}

export interface ReadRules {
  readonly rules: readonly RuleSyntax[];
  /** The gap of a rule that a request's value must obey, or of the complete cell. */
  readonly gap?: Gap;
  readonly open?: OpenRules;
}

export interface RuleOptions {
  /** Reads a rule that only this table has (`separated by ","`). Returns whether the text was one. */
  readonly further?: (piece: Phrase) => boolean;
}

export function parseRules(
  cell: Phrase | undefined,
  subject: string,
  context: FieldContext,
  { further }: RuleOptions = {},
): ReadRules {
  if (!cell || isEmpty(cell)) return { rules: [] };
  const whole = unquote(cell);
  if (isNotShown(whole)) {
    const gap = context.gap(`the rules of ${subject}`, positionIn(whole));
    return { rules: [], gap, open: openRules("", gap) };
  }
  const rules: RuleSyntax[] = [];
  let gap: Gap | undefined;
  let open: OpenRules | undefined;
  for (const piece of splitOutside(cell, ",")) {
    if (further?.(piece)) continue;
    if (endsNotShown(piece) || isNotShown(piece)) {
      const words = isNotShown(piece) ? "" : keyText(piece).replace(/\s*not shown$/, "");
      const found = context.gap(`a rule of ${subject} (${words || "which"})`, positionIn(piece));
      // A deletion, and a request without the field, say nothing about values that a request may send.
      if (words !== "on delete" && words !== "default") gap ??= found;
      open = { ...openRules(words, found), ...open };
      continue;
    }
    // A complete rule may be in backticks: `= this.a + this.b`.
    const rule = parseRule(unquote(piece), context);
    if (rule) rules.push(rule);
  }
  reportRepeated(rules, context);
  return { rules, ...(gap ? { gap } : {}), ...(open ? { open } : {}) };
}

/** What can't be done because of an unreadable rule. Without known words it may be any rule. */
function openRules(words: string, gap: Gap): OpenRules {
  if (words.startsWith("=")) return { read: gap };
  const isAny = words === "" || words === "on";
  return {
    ...(isAny || words === "default" || words === "on create" ? { made: gap } : {}),
    ...(isAny || words === "on update" ? { changed: gap } : {}),
    ...(isAny || words === "on delete" ? { deleted: gap } : {}),
  };
}

function parseRule(phrase: Phrase, context: FieldContext): RuleSyntax | undefined {
  for (const words of ruleList as readonly RuleWords[]) {
    const rest = restOf(phrase, words);
    if (!rest) continue;
    if (words.takesExpression) return parseExpressionRule(phrase, words.rule, rest, context);
    const rule = words.read ? words.read(rest, readingOf(phrase, context)) : { rule: words.rule };
    return rule && { phrase, rule: rule as FieldRule };
  }
  return unknownRule(phrase, context);
}

/** The content of a text that is this rule. Empty if the rule consists of its name. */
function restOf(phrase: Phrase, words: RuleWords): Phrase | undefined {
  if (words.matchStart) {
    const at = words.matchStart(phrase.text);
    return at === undefined ? undefined : trim(slice(phrase, at));
  }
  if (words.read || words.takesExpression) return afterWord(phrase, words.rule);
  return keyText(phrase) === words.rule ? slice(phrase, phrase.text.length) : undefined;
}

function parseExpressionRule(
  phrase: Phrase,
  rule: RuleName,
  rest: Phrase,
  context: FieldContext,
): RuleSyntax | undefined {
  const expression = unquote(rest);
  if (expression.text === "") return unreadable(phrase, `${phrase.text} <expression>`, context);
  const value = {
    text: expression.text,
    position: positionIn(expression),
    node: { op: "literal", value: null, type: types.any },
  } as const;
  return { phrase, rule: { rule, value } as FieldRule, expression };
}

function readingOf(whole: Phrase, context: FieldContext): RuleReading {
  return {
    reporter: context.reporter,
    whole,
    unreadable: (expected, at = whole) => unreadable(at, expected, context),
    inner(phrase, expected) {
      const inner = parseRule(unquote(phrase), context)?.rule;
      if (!inner || appliesToValue(inner)) return inner;
      return unreadable(phrase, expected, context);
    },
  };
}

function unknownRule(phrase: Phrase, { reporter }: FieldContext): undefined {
  const words = keyText(phrase);
  // The first word of a misspelt `lenght 1..3` is similar to `length`.
  const first = nearestHint(words.split(" ")[0] as string, ruleStarts);
  const whole = nearestHint(words, ruleStarts);
  const params = {
    text: phrase.text.replaceAll("`", ""),
    instead: ruleInOurWords(words),
    nearest: whole.nearest ?? first.nearest,
    known: ruleStarts,
  };
  reporter.report("resources/unknown-rule", positionIn(phrase), params);
  return undefined;
}

function reportRepeated(rules: readonly RuleSyntax[], { reporter }: FieldContext): void {
  const rulesByName = new Map<RuleName, RuleSyntax>();
  for (const rule of rules) {
    const first = rulesByName.get(rule.rule.rule);
    // Several rules for keys or elements are common: `keys length 1..40, keys pattern …`.
    if (first && !("of" in rule.rule)) {
      const related = [{ position: positionIn(first.phrase), message: "First defined here." }];
      reporter.report(
        "resources/repeated-rule",
        positionIn(rule.phrase),
        { text: rule.phrase.text.replaceAll("`", "") },
        related,
      );
    } else rulesByName.set(rule.rule.rule, rule);
  }
}

function unreadable(phrase: Phrase, expected: string, { reporter }: FieldContext): undefined {
  reporter.report("resources/unreadable", positionIn(phrase), { text: phrase.text, expected });
  return undefined;
}
