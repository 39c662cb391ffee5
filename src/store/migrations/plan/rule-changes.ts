/**
 * Rule changes: what an added or changed rule of part 2 means for stored records, by the rule's
 * `forStored`. A change that certainly loosens needs no check. For any other, all records are
 * checked (`../run/check-records.ts`).
 */
import type { RuleName } from "../../../fields/rule.ts";
import { type RuleWords, ruleWords } from "../../../fields/rules/index.ts";
import { formedTexts } from "../../../expressions/type.ts";

/** One rule of a field, or of a part of its value. */
export interface StoredRule {
  /**
   * The path that it applies to: empty for the field itself; `[]` for each element of a list or a
   * map, `.street` for a part.
   */
  readonly at: string;
  readonly rule: RuleName | "type";
  /** The text of the rule: `length 1..40`; for a type, `one of a, b`. */
  readonly words: string;
  readonly min?: number;
  readonly max?: number;
  /** The only texts that a type accepts. */
  readonly values?: readonly string[];
}

/** Whether stored values are checked against a rule. */
export function isChecked(rule: RuleName): boolean {
  return ruleWords(rule).forStored !== "nothing";
}

/**
 * `loosens`: all stored values remain valid. `restricts`: some may not be. `normalises`: another
 * form is stored from now on. `retypes`: values have to be read as another type.
 */
export type ChangeKind = "loosens" | "restricts" | "normalises" | "retypes";

type CompareRules = (was: StoredRule | undefined, now: StoredRule) => ChangeKind;

const bounds: CompareRules = (was, now) => {
  const isWider =
    was !== undefined &&
    (now.min ?? Number.NEGATIVE_INFINITY) <= (was.min ?? Number.NEGATIVE_INFINITY) &&
    (now.max ?? Number.POSITIVE_INFINITY) >= (was.max ?? Number.POSITIVE_INFINITY);
  return isWider ? "loosens" : "restricts";
};

const texts: ReadonlySet<string> = new Set(["string", ...formedTexts]);

const retypes: CompareRules = (was, now) => {
  if (!was) return "retypes";
  if (was.values && now.values)
    return was.values.every((value) => now.values?.includes(value)) ? "loosens" : "restricts";
  if (now.words === "json") return "loosens";
  return now.words === "string" && (was.values || texts.has(was.words)) ? "loosens" : "retypes";
};

function compareOf(rule: RuleName | "type"): CompareRules {
  return rule === "type" ? retypes : judges[ruleWords(rule).forStored];
}

const judges: Readonly<Record<RuleWords["forStored"], CompareRules>> = {
  restricts: () => "restricts",
  bounds,
  normalises: () => "normalises",
  nothing: () => "loosens",
};

export interface RuleChange {
  readonly kind: ChangeKind;
  readonly was?: StoredRule;
  readonly now?: StoredRule;
}

/** The name of a rule. A field may have several for its keys, each of another name. */
function nameOf({ rule, words }: StoredRule): string {
  return rule === "keys" ? words.split(" ", 2).join(" ") : rule;
}

/** The rules that differ. @param before undefined if unknown: then all rules are new */
export function ruleChanges(
  before: readonly StoredRule[] | undefined,
  now: readonly StoredRule[],
): readonly RuleChange[] {
  const isOfSame = (left: StoredRule, right: StoredRule): boolean =>
    left.at === right.at && nameOf(left) === nameOf(right);
  const added = now.flatMap((rule): RuleChange[] => {
    const was = before?.find((keptRule) => isOfSame(keptRule, rule));
    if (was?.words === rule.words) return [];
    return [{ kind: compareOf(rule.rule)(was, rule), now: rule, ...(was && { was }) }];
  });
  const removed = (before ?? []).filter((rule) => !now.some((keptRule) => isOfSame(keptRule, rule)));
  return [...added, ...removed.map((was): RuleChange => ({ kind: "loosens", was }))];
}

/** The rules that records have to be checked against. */
export function changesToCheck(changes: readonly RuleChange[]): readonly RuleChange[] {
  return changes.filter(({ kind }) => kind !== "loosens");
}

/**
 * `User.email: lower case from now on`; undefined if only a type was added or removed.
 * @param place the field
 */
export function ruleChangeText(place: string, { was, now }: RuleChange): string | undefined {
  const where = `${place}${(now ?? was)?.at ?? ""}`;
  if (now && was) return `${where}: ${now.words} from now on, instead of ${was.words}`;
  if ((now ?? was)?.rule === "type") return undefined;
  return now ? `${where}: ${now.words} from now on` : `${where}: no longer ${was?.words}`;
}
