/**
 * Every rule of part 2, and what its addition or change means for stored records. A change that
 * certainly loosens needs no check. For any other, all records are checked
 * (`../run/check-records.ts`).
 */
import type { RuleName } from "../../../fields/rule.ts";
import { formedTexts } from "../../../expressions/type.ts";

/** One rule of a field, or of a part of its value. */
export interface StoredRule {
  /**
   * The path that it applies to: empty for the field itself; `[]` for each element of a list or a
   * map, `.street` for a part.
   */
  readonly at: string;
  readonly rule: CheckedRule;
  /** As it is written: `length 1..40`; of a type, `one of a, b`. */
  readonly words: string;
  readonly min?: number;
  readonly max?: number;
  /** Of a type: the only texts that it takes. */
  readonly values?: readonly string[];
}

/** A rule that stored values are checked against. */
export type CheckedRule = {
  [Name in keyof typeof judges]: (typeof judges)[Name] extends null ? never : Name;
}[keyof typeof judges];

export function isChecked(rule: RuleName): rule is RuleName & CheckedRule {
  return judges[rule] !== null;
}

/**
 * `loosens`: all stored values remain valid. `restricts`: some may not be. `normalises`: another
 * form is stored from now on. `retypes`: values have to be read as another type.
 */
export type ChangeKind = "loosens" | "restricts" | "normalises" | "retypes";

type Judge = (was: StoredRule | undefined, now: StoredRule) => ChangeKind;

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

/** Null: the rule concerns no stored records, or it is checked elsewhere. */
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
  // The rules of elements are compared at the elements.
  each: null,
  // The indexes and keys of the database enforce them, and the question `no repeats` finds
  // duplicates.
  unique: null,
  "any case": null,
  // The field isn't stored. If it becomes stored, the question is `was computed`.
  computed: null,
  // Rules of requests, responses and deletes.
  nullable: null,
  "read-only": null,
  "write-only": null,
  immutable: null,
  internal: null,
  "shown once": null,
  merged: null,
  deprecated: null,
  "sent as": null,
  default: null,
  "on create": null,
  "on update": null,
  "on delete": null,
} as const satisfies Readonly<Record<RuleName | "type", Judge | null>>;

export interface RuleChange {
  readonly kind: ChangeKind;
  readonly was?: StoredRule;
  readonly now?: StoredRule;
}

/** The rules that differ. @param before undefined if unknown: then all rules are new */
export function ruleChanges(
  before: readonly StoredRule[] | undefined,
  now: readonly StoredRule[],
): readonly RuleChange[] {
  const isOfSame = (left: StoredRule, right: StoredRule): boolean =>
    left.at === right.at && left.rule === right.rule;
  const added = now.flatMap((rule): RuleChange[] => {
    const was = before?.find((keptRule) => isOfSame(keptRule, rule));
    if (was?.words === rule.words) return [];
    return [{ kind: judges[rule.rule](was, rule), now: rule, ...(was && { was }) }];
  });
  const gone = (before ?? []).filter((rule) => !now.some((keptRule) => isOfSame(keptRule, rule)));
  return [...added, ...gone.map((was): RuleChange => ({ kind: "loosens", was }))];
}

/** The rules that records have to be checked against. */
export function changesToCheck(changes: readonly RuleChange[]): readonly RuleChange[] {
  return changes.filter(({ kind }) => kind !== "loosens");
}

/**
 * `User.email: lower case from now on`; undefined if only a type was added or removed.
 * @param place the field
 */
export function changeInWords(place: string, { was, now }: RuleChange): string | undefined {
  const where = `${place}${(now ?? was)?.at ?? ""}`;
  if (now && was) return `${where}: ${now.words} from now on, instead of ${was.words}`;
  if ((now ?? was)?.rule === "type") return undefined;
  return now ? `${where}: ${now.words} from now on` : `${where}: no longer ${was?.words}`;
}
