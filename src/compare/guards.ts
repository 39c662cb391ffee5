/** Guards: conditions that admit callers, show records or reject requests, and whether they became stricter or looser. */
import type { Expression, Node } from "../expressions/node.ts";
import type { Allowed, FailRule } from "../model/model.ts";
import { type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { allOf, anyOf, changeOf, sameMeaning } from "./meaning.ts";
import type { RuleName } from "./rules.ts";

/** The rules for a condition that became `stricter`, `looser`, or different (`other`). */
export interface ChangeRules {
  readonly stricter: RuleName;
  readonly looser: RuleName;
  readonly other: RuleName;
}

export const visibility: ChangeRules = {
  stricter: "visibility-narrowed",
  looser: "visibility-widened",
  other: "visibility-changed",
};

const access: ChangeRules = {
  stricter: "access-narrowed",
  looser: "access-widened",
  other: "access-changed",
};

/** Compares two conditions: which of them holds in fewer cases. */
export function compareCondition(
  before: Node,
  after: Node,
  rulesOf: ChangeRules,
  what: string,
  piece: Piece,
  differences: Differences,
): void {
  const change = changeOf(before, after);
  if (change === "same") return;
  const words = {
    stricter: "holds in fewer cases",
    looser: "holds in more cases",
    other: "is a different condition",
  };
  report(differences, piece, rulesOf[change], `has changed: \`${what}\` ${words[change]}`);
}

/** Compares `Allowed`. All entries must hold; without entries, any caller is allowed. */
export function compareAllowed(
  before: readonly Allowed[],
  after: readonly Allowed[],
  piece: Piece,
  differences: Differences,
): void {
  if (sameMeaning(before, after)) return;
  const [old, now] = [widest(before), widest(after)];
  if (old !== now) {
    const isNarrower = ranks.indexOf(now) < ranks.indexOf(old);
    report(
      differences,
      piece,
      isNarrower ? "access-narrowed" : "access-widened",
      old === "anyone" && now === "any caller"
        ? "needs a credential now"
        : `is for ${wordsOf(after)} now, and was for ${wordsOf(before)}`,
      after[0]?.position,
    );
    return;
  }
  const change = changeOf(allOf(conditions(before)), allOf(conditions(after)));
  if (change === "same") return;
  report(
    differences,
    piece,
    access[change],
    `is for ${wordsOf(after)} now, and was for ${wordsOf(before)}`,
    after[0]?.position,
  );
}

const ranks = ["condition", "any caller", "anyone"] as const;

function widest(allowed: readonly Allowed[]): (typeof ranks)[number] {
  if (allowed.some(({ kind }) => kind === "condition")) return "condition";
  return allowed.some(({ kind }) => kind === "anyone") ? "anyone" : "any caller";
}

function conditions(allowed: readonly Allowed[]): readonly Expression[] {
  return allowed.flatMap((rule) => (rule.kind === "condition" ? [rule.condition] : []));
}

function wordsOf(allowed: readonly Allowed[]): string {
  if (allowed.length === 0) return "any caller";
  return allowed
    .map((rule) => (rule.kind === "condition" ? `\`${rule.condition.text}\`` : rule.kind))
    .join(" and ");
}

/** Compares `Fails` rules, those with the same code and field with each other. */
export function compareFails(
  before: readonly FailRule[],
  after: readonly FailRule[],
  piece: Piece,
  differences: Differences,
): void {
  const keyOf = ({ code, on }: FailRule) => JSON.stringify([code, on ?? null]);
  const [old, now] = [Map.groupBy(before, keyOf), Map.groupBy(after, keyOf)];
  for (const [key, rules] of now) {
    const was = old.get(key);
    const [first] = rules;
    if (!first) continue;
    const { code, position, when } = first;
    if (!was) {
      report(differences, piece, "guard-added", `fails with \`${code}\` when \`${when.text}\``, position);
      continue;
    }
    const change = changeOf(
      anyOf(was.map((failRule) => failRule.when.node)),
      anyOf(rules.map((failRule) => failRule.when.node)),
    );
    if (change === "same") continue;
    const [rule, words] = {
      looser: ["guard-added", "in more cases"] as const,
      stricter: ["guard-removed", "in fewer cases"] as const,
      other: ["guard-changed", "in other cases"] as const,
    }[change];
    report(differences, piece, rule, `fails with \`${code}\` ${words}: \`${when.text}\``, position);
  }
  for (const [key, [removed]] of old)
    if (removed && !now.has(key))
      report(
        differences,
        piece,
        "guard-removed",
        `no longer fails with \`${removed.code}\` when \`${removed.when.text}\``,
        undefined,
        {
          place: { in: "old", position: removed.position },
        },
      );
}
