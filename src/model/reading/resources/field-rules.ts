/**
 * Reads a Rules cell (part 2, and the inputs' tables of part 4): text becomes rules. Expressions in them stay phrases, for they
 * are bound when every name is known. Whether a rule fits its field is asked in `rules-fit.ts`.
 */
import { RE2JS } from "re2js";
import { types } from "../../../expressions/type.ts";
import { durationMs } from "../../../support/quantity.ts";
import type { FieldRule, RuleName } from "../../../fields/rule.ts";
import { type Phrase, positionIn, slice, splitOutside, unquote } from "../../../source/phrase.ts";
import { afterWord, endsNotShown, isEmpty, isNotShown } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import type { FieldContext } from "./field-type.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { messageOf } from "../../../support/failure.ts";

export interface RuleSyntax {
  readonly phrase: Phrase;
  /** Of a rule with an expression, `value` is only a place to be filled: a literal null. */
  readonly rule: FieldRule;
  readonly expression?: Phrase;
}

export interface ReadRules {
  readonly rules: readonly RuleSyntax[];
  /** A rule, or the whole cell, is not shown. */
  readonly gap?: Gap;
}

/** Longest pattern, in UTF-16 units; a longer one is a program, not a rule. */
const patternLengthMax = 256;

const wordRules = [
  "required",
  "nullable",
  "empty is null",
  "read-only",
  "write-only",
  "immutable",
  "internal",
  "shown once",
  "unique",
  "any case",
  "distinct",
  "merged",
  "lower case",
  "trimmed",
] as const satisfies readonly RuleName[];

/** What stands in front of something else; the nearest of all of these is told for an unknown rule. */
const ruleStarts = [
  ...wordRules,
  "default",
  "on create",
  "on update",
  "length",
  "items",
  "pattern",
  "keys",
  "each",
  "on delete cascade",
  "on delete restrict",
  "on delete clear",
];

/** What other notations call it. */
const otherWords: Readonly<Record<string, string>> = {
  optional: "nothing: a field without `required` is optional",
  "not null": "`required`",
  mandatory: "`required`",
  null: "`nullable`",
  readonly: "`read-only`",
  "read only": "`read-only`",
  writeonly: "`write-only`",
  private: "`internal`",
  hidden: "`internal`",
  "primary key": "`- Identifier: …` above the table",
  lowercase: "`lower case`",
  trim: "`trimmed`",
  "case insensitive": "`any case`",
  "case-insensitive": "`any case`",
  constant: "`immutable`",
  final: "`immutable`",
  computed: "`= <expression>`",
  calculated: "`= <expression>`",
  yes: "the rule itself: `required`, `unique` … in the column `Rules`; a cell that says nothing stays empty",
  no: "nothing: a cell without rules stays empty",
  true: "the rule itself: `required`, `unique` … in the column `Rules`; a cell that says nothing stays empty",
  false: "nothing: a cell without rules stays empty",
  "auto increment": "``- Identifier: …, made by `sequence()` `` above the table",
  autoincrement: "``- Identifier: …, made by `sequence()` `` above the table",
  "foreign key": "nothing: a field whose type is a resource refers to a record of it",
  index: "nothing: what the document asks for gets its indexes by itself",
  indexed: "nothing: what the document asks for gets its indexes by itself",
  "no duplicates": "`distinct`",
  cascade: "`on delete cascade`",
  positive: "bounds: `1..`",
  "non-negative": "bounds: `0..`",
  "non-empty": "`length 1..`",
};

export interface RuleOptions {
  /** Takes a rule that only this table has (`separated by ","`); tells whether it did. */
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
  if (isNotShown(whole)) return { rules: [], gap: context.gap(`the rules of ${subject}`, positionIn(whole)) };
  const rules: RuleSyntax[] = [];
  let gap: Gap | undefined;
  for (const piece of splitOutside(cell, ",")) {
    if (further?.(piece)) continue;
    if (endsNotShown(piece) || isNotShown(piece)) {
      gap ??= context.gap(
        `a rule of ${subject} (${piece.text.replace(/\s*not shown$/i, "") || "which"})`,
        positionIn(piece),
      );
      continue;
    }
    // A rule may stand in backticks as a whole: `= this.a + this.b`.
    const rule = parseRule(unquote(piece), context);
    if (rule) rules.push(rule);
  }
  reportRepeated(rules, context);
  return { rules, ...(gap ? { gap } : {}) };
}

function parseRule(phrase: Phrase, context: FieldContext): RuleSyntax | undefined {
  const words = phrase.text.replace(/\s+/g, " ").toLowerCase();
  const word = wordRules.find((one) => one === words);
  if (word) return { phrase, rule: { rule: word } };
  const tried =
    parseExpressionRule(phrase, context) ??
    parseDeletion(phrase, context) ??
    parseOfParts(phrase, context) ??
    parseBounds(phrase, context) ??
    parsePattern(phrase, context) ??
    unknownRule(phrase, context);
  return tried || undefined;
}

/** `undefined`: it is another rule; `false`: it is this one, and it was reported. */
type Tried = RuleSyntax | false | undefined;

function parseExpressionRule(phrase: Phrase, context: FieldContext): Tried {
  const computed = /^=(?!=)/.test(phrase.text) ? slice(phrase, 1) : undefined;
  const found = computed
    ? ({ rule: "computed", rest: computed } as const)
    : (["default", "on create", "on update"] as const)
        .map((rule) => ({ rule, rest: afterWord(phrase, rule) }))
        .find((one) => one.rest !== undefined);
  if (!found?.rest) return undefined;
  const expression = unquote(found.rest);
  if (expression.text === "") return unreadable(phrase, `${phrase.text} <expression>`, context);
  const value = {
    text: expression.text,
    position: positionIn(expression),
    node: { op: "literal", value: null, type: types.any },
  } as const;
  return { phrase, rule: { rule: found.rule, value }, expression };
}

function parseDeletion(phrase: Phrase, context: FieldContext): Tried {
  const then = afterWord(phrase, "on delete");
  if (!then) return undefined;
  const word = unquote(then).text.toLowerCase();
  if (word !== "cascade" && word !== "restrict" && word !== "clear") {
    return unreadable(phrase, "`on delete cascade`, `on delete restrict` or `on delete clear`", context);
  }
  return { phrase, rule: { rule: "on delete", then: word } };
}

function parseOfParts(phrase: Phrase, context: FieldContext): Tried {
  for (const rule of ["keys", "each"] as const) {
    const rest = afterWord(phrase, rule);
    if (!rest) continue;
    const inner = rest.text === "" ? undefined : parseRule(unquote(rest), context);
    if (!inner)
      return rest.text === ""
        ? unreadable(phrase, `\`${rule} length 1..40\` or another rule behind it`, context)
        : false;
    if (!isOfParts(inner.rule))
      return unreadable(rest, "bounds, `length`, `pattern`, `lower case` or `trimmed`", context);
    return { phrase, rule: { rule, of: inner.rule } };
  }
  return undefined;
}

/** Rules that say something of a single value, so that keys and elements can have them. */
function isOfParts({ rule }: FieldRule): boolean {
  return [
    "range",
    "length",
    "items",
    "pattern",
    "lower case",
    "trimmed",
    "each",
    "keys",
    "distinct",
  ].includes(rule);
}

// length 1..120      1..30000      8..      ..0.5
const bounds = /^(?:(length|items)\s+)?(-?\d+(?:\.\d+)?)?\s*\.\.\s*(-?\d+(?:\.\d+)?)?$/i;

function parseBounds(phrase: Phrase, context: FieldContext): Tried {
  const match = bounds.exec(phrase.text);
  if (!match) {
    if (timed.test(phrase.text)) return parseTimes(phrase, context);
    const starts = /^(length|items)(\s|$)/i.exec(phrase.text)?.[1]?.toLowerCase();
    if (!starts) return undefined;
    return unreadable(phrase, `\`${starts} 1..120\`, \`${starts} 8..\` or \`${starts} ..40\``, context);
  }
  const rule = (match[1]?.toLowerCase() ?? "range") as "length" | "items" | "range";
  const min = match[2] === undefined ? undefined : Number(match[2]);
  const max = match[3] === undefined ? undefined : Number(match[3]);
  if (min === undefined && max === undefined)
    return unreadable(phrase, "a bound at one end at least: `1..200`, `8..` or `..40`", context);
  if (min !== undefined && max !== undefined && min > max) {
    context.reporter.report("resources/bounds-reversed", positionIn(phrase), { min, max });
    return false;
  }
  if (
    rule !== "range" &&
    [min, max].some((bound) => bound !== undefined && !(Number.isSafeInteger(bound) && bound >= 0))
  ) {
    return unreadable(phrase, `whole numbers from 0 on behind \`${rule}\``, context);
  }
  return {
    phrase,
    rule: { rule, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) },
  };
}

// 1 minute..1 day      ..2 hours
const timed =
  /^(?!(?:length|items|pattern)\b)(?=.*\.\.).*\b(?:millisecond|second|minute|hour|day|week|month|year)s?\b/i;

/** Bounds of a duration, in the units of time that stand everywhere else. */
function parseTimes(phrase: Phrase, context: FieldContext): Tried {
  const [least = "", most = ""] = phrase.text.split("..").map((end) => end.trim());
  const [min, max] = [least, most].map((end) => (end === "" ? undefined : durationMs(end)));
  const isRead = (least === "" || min !== undefined) && (most === "" || max !== undefined);
  if (!isRead || (min === undefined && max === undefined))
    return unreadable(phrase, "times at both ends or at one: `1 minute..1 day`, `..2 hours`", context);
  if (min !== undefined && max !== undefined && min > max) {
    context.reporter.report("resources/bounds-reversed", positionIn(phrase), { min: least, max: most });
    return false;
  }
  const ends = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return { phrase, rule: { rule: "range", ...ends, times: true } };
}

function parsePattern(phrase: Phrase, context: FieldContext): Tried {
  const rest = afterWord(phrase, "pattern");
  if (!rest) return undefined;
  const pattern = unquote(rest);
  if (pattern.text === "")
    return unreadable(phrase, "`pattern ^[A-Z]{2}$`, in backticks or without", context);
  if (pattern.text.length > patternLengthMax) {
    context.reporter.report("resources/pattern-too-long", positionIn(pattern), {
      length: pattern.text.length,
      lengthMax: patternLengthMax,
    });
    return false;
  }
  try {
    RE2JS.compile(pattern.text);
  } catch (error) {
    const why = messageOf(error);
    context.reporter.report("resources/broken-pattern", positionIn(pattern), { pattern: pattern.text, why });
    return false;
  }
  return { phrase, rule: { rule: "pattern", pattern: pattern.text } };
}

function unknownRule(phrase: Phrase, context: FieldContext): false {
  const words = phrase.text.replace(/\s+/g, " ").toLowerCase();
  const instead = ruleInOurWords(words);
  // A misspelt `lenght 1..3` is near to `length` by its first word.
  const first = nearestHint(words.split(" ")[0] as string, ruleStarts);
  const whole = nearestHint(words, ruleStarts);
  const params = {
    text: phrase.text.replaceAll("`", ""),
    instead,
    nearest: whole.nearest ?? first.nearest,
    known: ruleStarts,
  };
  context.reporter.report("resources/unknown-rule", positionIn(phrase), params);
  return false;
}

/** What says here what other notations say in these words. */
function ruleInOurWords(words: string): string | undefined {
  if (Object.hasOwn(otherWords, words)) return otherWords[words];
  const said = /^(?:must be|has to be|should be|is|are|it is)\s+(.+)$/.exec(words)?.[1];
  if (said !== undefined) {
    const rule = ruleStarts.find((one) => one === said);
    return rule === undefined ? ruleInOurWords(said) : `\`${rule}\``;
  }
  if (/^(?:now|today)(?:\(\))?$/.test(words))
    return "`on create `now``, or `default `now`` where a request may send it";
  return boundInOtherWords(words);
}

/** `max 200`, `min length: 3`, `between 1 and 40`, `>= 1` → the bounds that say it. */
function boundInOtherWords(words: string): string | undefined {
  const between =
    /^(?:between|from)?\s*(-?\d+(?:\.\d+)?)\s*(?:and|to|-|–)\s*(-?\d+(?:\.\d+)?)( characters| letters| items)?$/.exec(
      words,
    );
  if (between) {
    const [, low, high, of = ""] = between;
    const what = of === "" ? "" : of === " items" ? "items " : "length ";
    return `\`${what}${low}..${high}\``;
  }
  const edge = /^(>=|at least|from|<=|at most|up to)\s*(-?\d+(?:\.\d+)?)( characters| letters| items)?$/.exec(
    words,
  );
  if (edge) {
    const [, sign = "", number, of = ""] = edge;
    const what = of === "" ? "" : of === " items" ? "items " : "length ";
    return `\`${what}${[">=", "at least", "from"].includes(sign) ? `${number}..` : `..${number}`}\``;
  }
  const match = /^(max|min|maximum|minimum)[ -]?(length|items|size)?[ :=]*(-?\d+(?:\.\d+)?)$/.exec(words);
  if (!match) return undefined;
  const [, end, of, number] = match;
  const range = (end as string).startsWith("max") ? `..${number}` : `${number}..`;
  return `\`${of === undefined ? "" : of === "items" ? "items " : "length "}${range}\``;
}

function reportRepeated(rules: readonly RuleSyntax[], { reporter }: FieldContext): void {
  const seen = new Map<RuleName, RuleSyntax>();
  for (const one of rules) {
    const first = seen.get(one.rule.rule);
    // Several rules of keys or elements are usual: `keys length 1..40, keys pattern …`.
    if (first && one.rule.rule !== "keys" && one.rule.rule !== "each") {
      const related = [{ position: positionIn(first.phrase), message: "It stands here already." }];
      reporter.report(
        "resources/repeated-rule",
        positionIn(one.phrase),
        { text: one.phrase.text.replaceAll("`", "") },
        related,
      );
    } else seen.set(one.rule.rule, one);
  }
}

function unreadable(phrase: Phrase, expected: string, { reporter }: FieldContext): false {
  reporter.report("resources/unreadable", positionIn(phrase), { text: phrase.text, expected });
  return false;
}
