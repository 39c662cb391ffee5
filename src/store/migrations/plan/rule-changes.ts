/**
 * Every rule of part 2, and what it means for records that are there when it comes or changes. What surely loosens needs no check; for anything
 * else all records are checked (`../run/check-records.ts`).
 */
import type { RuleName } from "../../../fields/rule.ts";
import { formedTexts } from "../../../expressions/type.ts";
import type { KeptRule } from "../../kept-rules.ts";

/**
 * `loosens`: all that was well is well. `restricts`: some of it may not be. `normalises`: another form of it is kept from now on. `retypes`:
 * it is to be read as something else.
 */
export type ChangeKind = "loosens" | "restricts" | "normalises" | "retypes";

type Judge = (was: KeptRule | undefined, now: KeptRule) => ChangeKind;

const restricts: Judge = () => "restricts";
const normalises: Judge = () => "normalises";

const bounds: Judge = (was, now) => {
  const isWider =
    was !== undefined &&
    (now.min ?? Number.NEGATIVE_INFINITY) <= (was.min ?? Number.NEGATIVE_INFINITY) &&
    (now.max ?? Number.POSITIVE_INFINITY) >= (was.max ?? Number.POSITIVE_INFINITY);
  return isWider ? "loosens" : "restricts";
};

const texts: ReadonlySet<string> = new Set(["string", ...formedTexts]);

const retypes: Judge = (was, now) => {
  if (!was) return "retypes";
  if (was.values && now.values)
    return was.values.every((value) => now.values?.includes(value)) ? "loosens" : "restricts";
  if (now.words === "json") return "loosens";
  return now.words === "string" && (was.values || texts.has(was.words)) ? "loosens" : "retypes";
};

/** Null: it says nothing of records that are there, or it is checked elsewhere. */
const judges = {
  type: retypes,
  required: restricts,
  length: bounds,
  items: bounds,
  range: bounds,
  pattern: restricts,
  keys: restricts,
  distinct: restricts,
  "lower case": normalises,
  trimmed: normalises,
  "empty is null": normalises,
  // Each of what it holds stands for itself, at the elements.
  each: null,
  // Indexes and keys of the database hold them, and the question `no repeats` finds what repeats.
  unique: null,
  "any case": null,
  // It isn't stored; where it becomes stored, the question is `was computed`.
  computed: null,
  // Of requests, answers and deletes.
  nullable: null,
  "read-only": null,
  "write-only": null,
  immutable: null,
  internal: null,
  "shown once": null,
  merged: null,
  default: null,
  "on create": null,
  "on update": null,
  "on delete": null,
} as const satisfies Readonly<Record<RuleName | "type", Judge | null>>;

/** A rule that stored values are checked against. */
export type CheckedRule = {
  [Name in keyof typeof judges]: (typeof judges)[Name] extends null ? never : Name;
}[keyof typeof judges];

export function isChecked(rule: RuleName): rule is RuleName & CheckedRule {
  return judges[rule] !== null;
}

export interface RuleChange {
  readonly kind: ChangeKind;
  readonly was?: KeptRule;
  readonly now?: KeptRule;
}

/** The rules that differ. @param before undefined where they aren't known: then all of them are new */
export function ruleChanges(
  before: readonly KeptRule[] | undefined,
  now: readonly KeptRule[],
): readonly RuleChange[] {
  const isOfSame = (one: KeptRule, other: KeptRule): boolean =>
    one.at === other.at && one.rule === other.rule;
  const added = now.flatMap((rule): RuleChange[] => {
    const was = before?.find((one) => isOfSame(one, rule));
    if (was?.words === rule.words) return [];
    return [{ kind: judges[rule.rule](was, rule), now: rule, ...(was && { was }) }];
  });
  const gone = (before ?? []).filter((rule) => !now.some((one) => isOfSame(one, rule)));
  return [...added, ...gone.map((was): RuleChange => ({ kind: "loosens", was }))];
}

/** Those that records have to be checked against. */
export function changesToCheck(changes: readonly RuleChange[]): readonly RuleChange[] {
  return changes.filter(({ kind }) => kind !== "loosens");
}

/** `User.email: lower case from now on`; undefined where a type alone came or went. @param place the field */
export function changeInWords(place: string, { was, now }: RuleChange): string | undefined {
  const where = `${place}${(now ?? was)?.at ?? ""}`;
  if (now && was) return `${where}: ${now.words} from now on, instead of ${was.words}`;
  if ((now ?? was)?.rule === "type") return undefined;
  return now ? `${where}: ${now.words} from now on` : `${where}: no longer ${was?.words}`;
}
