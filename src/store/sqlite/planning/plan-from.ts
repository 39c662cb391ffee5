/**
 * Migration plan without a store: what a document would change in stores of an older document, as
 * far as that is known.
 */
import type { Model } from "../../../model/model.ts";
import { linesToPaste } from "../../migrations/plan/paste/lines-to-paste.ts";
import type { PlanStep, StorePlan } from "../../migrations/plan/store-plan.ts";
import { columnOf } from "../../migrations/plan/paste/tables-before-and-after.ts";
import { questionText } from "../../migrations/plan/question-text.ts";
import { remainingLines } from "../../migrations/plan/rest-lines.ts";
import { StoreMismatch } from "../../errors.ts";
import type { Question } from "../../migrate.ts";
import { type MigrationPlan, planBetween } from "../../migrations/plan/migration-plan.ts";
import { requiredTables } from "../bring-up-to-date.ts";
import { ofPartTwo } from "../../migrations/run/dry-run.ts";
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
  return rest.length > 0 ? [...steps, ofPartTwo(rest)] : steps;
}

type Consequence = "lost" | "impossible" | "perhaps";

/** The consequences of each question for a store, and the end of its text. `perhaps` depends on the records. */
const consequences: Readonly<Record<Question["kind"], readonly [kind: Consequence, end: string]>> = {
  "no records": ["lost", " with all of its records"],
  "nothing said": ["lost", " in every record that has one"],
  "no parts lost": ["lost", ""],
  "no records to fill": ["impossible", ", so existing records have no value"],
  "empty to convert": ["impossible", ""],
  "was computed": ["impossible", ": existing records have no stored value"],
  known: ["impossible", ""],
  "no references": ["impossible", ""],
  rules: ["perhaps", ": a record that breaks it would prevent the migration"],
  "record rule": ["perhaps", ": a record that breaks it would prevent the migration"],
  "none null": ["perhaps", ": a record without it would prevent the migration"],
  "only values": ["perhaps", ": a record with another value would prevent the migration"],
  "no repeats": ["perhaps", ": duplicates would prevent the migration"],
  "none marked": ["perhaps", ": records that are marked as deleted would prevent the migration"],
};

function judged(question: Question): { readonly kind: Consequence; readonly words: string } {
  const [kind, end] = consequences[question.kind];
  return { kind, words: questionText(question) + end };
}
