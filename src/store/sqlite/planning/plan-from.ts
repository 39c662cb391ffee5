/**
 * Migration plan without a store: what a document would change in stores of an older document, as
 * far as that is known.
 */
import type { Model } from "../../../model/model.ts";
import { linesToPaste } from "../../migrations/plan/paste/lines-to-paste.ts";
import type { PlanStep, StorePlan } from "../../migrations/plan/store-plan.ts";
import { columnOf } from "../../migrations/plan/paste/tables-before-and-after.ts";
import { remainingLines } from "../../migrations/plan/rest-lines.ts";
import { StoreMismatch } from "../../errors.ts";
import type { Question } from "../../migrate.ts";
import { type MigrationPlan, planBetween } from "../../migrations/plan/migration-plan.ts";
import { requiredTables } from "../bring-up-to-date.ts";
import { safeStep } from "../../migrations/run/dry-run.ts";
import type { Tables } from "../../tables.ts";
import type { PlannedChange } from "../../migrations/plan/planned-change.ts";

/** Plans for stores that can't be inspected. Warnings report what depends on their records. */
export function planFrom(old: Model, model: Model): StorePlan {
  const path = `a store of ${old.file}`;
  const tables = requiredTables(model);
  const { storedChanges, storedFrom } = old.versioning;
  const applied = storedChanges.map(({ name, hash }) => ({ name, hash }));
  if (storedFrom) applied.push({ name: storedFrom.text, hash: "" });
  const warnings: string[] = [];
  try {
    const plan = planBetween({ tables: requiredTables(old), applied }, model, tables, {
      path,
      onWarning: (warning) => warnings.push(warning),
    });
    if (!plan) return { steps: [], refused: undefined, warnings };
    const { migration, before, usedNames } = plan;
    const checked = migration.questions.filter((question) => !("isFirst" in question && question.isFirst));
    const reported = checked.map((question) => ({ question, ...judged(question) }));
    const certain = reported.filter(({ kind }) => kind !== "perhaps");
    const ofKind = (wanted: string) =>
      certain.filter(({ kind }) => kind === wanted).map(({ words }) => words);
    const times = { before, after: tables, model, usedNames };
    const possibleLosses = reported
      .filter(({ kind }) => kind === "perhaps")
      .map(({ question, words }) => {
        const values = valuesDropped(question, before);
        const lines = values.length > 0 ? linesToPaste(migration, [{ question, values }], times) : [];
        return lines.length === 0
          ? words
          : `${words}. For records with ${values.join(", ")}, add to part 9:\n\n${lines.join("\n")}\n`;
      });
    const found = certain.map(({ question }) => ({ question, values: [] }));
    const paste = linesToPaste(migration, found, times);
    return {
      steps: stepsOf(plan, certain.length > 0),
      refused:
        certain.length > 0
          ? new StoreMismatch(path, ofKind("lost"), ofKind("impossible"), { paste })
          : undefined,
      warnings: [...warnings, ...possibleLosses],
    };
  } catch (error) {
    if (!(error instanceof StoreMismatch)) throw error;
    return { steps: [], refused: error, warnings };
  }
}

/** The values that a column could have before, and can't have now. */
function valuesDropped(question: Question, before: Tables): readonly string[] {
  if (question.kind !== "only values") return [];
  const former = columnOf(before, question.table, question.column)?.values ?? [];
  return former.filter((value) => !question.values.includes(value));
}

function stepsOf({ changes, migration, before }: MigrationPlan, isRefused: boolean): readonly PlanStep[] {
  const steps = changes.map(
    ({ step, changes }: PlannedChange): PlanStep => ({
      name: step.name,
      line: step.position.start.line,
      kind: step.forEach.length + step.removed.length > 0 ? "convertible" : "safe",
      lines: changes.map(({ before, after }) => ({
        text: after ? `${after.name} changes` : `${before.name} is removed`,
        isSafe: false,
        examples: [],
        hasMore: false,
      })),
    }),
  );
  const rest = isRefused ? [] : remainingLines(migration, before);
  return rest.length > 0 ? [...steps, safeStep(rest)] : steps;
}

/** The consequences of a question for a store. `perhaps` has those that depend on its records. */
function judged(question: Question): {
  readonly kind: "lost" | "impossible" | "perhaps";
  readonly words: string;
} {
  const { table } = question;
  switch (question.kind) {
    case "no records":
      return { kind: "lost", words: `${table}: the resource with all of its records` };
    case "nothing said":
      return {
        kind: "lost",
        words: `${table}.${question.column.name}: its value in every record that has one`,
      };
    case "no parts lost":
      return { kind: "lost", words: `${table}.${question.column}: parts of it` };
    case "no records to fill":
      return {
        kind: "impossible",
        words: `${table}.${question.column} is new and required without a constant default, so existing records have no value`,
      };
    case "empty to convert":
      return {
        kind: "impossible",
        words: `${table}.${question.column} was ${question.from} and is now ${question.to}`,
      };
    case "was computed":
      return {
        kind: "impossible",
        words: `${table}.${question.column}${question.at ?? ""} was computed when read (\`${question.text}\`) and is now stored: existing records have no stored value`,
      };
    case "rules":
      return {
        kind: "perhaps",
        words: `${rulesInWords(question)}: a record that breaks it would prevent the migration`,
      };
    case "record rule":
      return {
        kind: "perhaps",
        words: `${table}: a record that breaks a new rule would prevent the migration`,
      };
    case "known":
      return {
        kind: "impossible",
        words: `${table}.${question.column} is now a reference to ${question.to}`,
      };
    case "no references":
      return {
        kind: "impossible",
        words: `${table}.${question.column} refers to ${question.to}, which now has another identifier`,
      };
    case "none null":
      return {
        kind: "perhaps",
        words: `${table}.${question.column} is now required: a record without it would prevent the migration`,
      };
    case "only values":
      return {
        kind: "perhaps",
        words: `${table}.${question.column} must now be one of ${question.values.join(", ")}: a record with another value would prevent the migration`,
      };
    case "no repeats":
      return {
        kind: "perhaps",
        words: `${table}: ${[...question.columns, ...question.filled].join(", ")} must now be unique: duplicates would prevent the migration`,
      };
    case "none marked":
      return {
        kind: "perhaps",
        words: `${table} no longer keeps deleted records: records that are marked as deleted would prevent the migration`,
      };
  }
}

function rulesInWords({ table, column, changes }: Extract<Question, { readonly kind: "rules" }>): string {
  const places = Map.groupBy(changes, ({ now }) => now?.at ?? "");
  const words = [...places].map(
    ([at, own]) => `${table}.${column}${at} is now ${own.map(({ now }) => now?.words).join(", ")}`,
  );
  return words.join("; ");
}
