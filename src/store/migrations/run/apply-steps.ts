/**
 * Applies the pending stored changes, then the remaining differences of the tables. It queries the
 * data before, and checks it at the end.
 */
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { NotInSql } from "../../sql/environment.ts";
import { StoreMismatch } from "../../errors.ts";
import { linesToPaste, type FailedQuestion } from "../plan/paste/lines-to-paste.ts";
import { adviceForSetRepeats } from "../plan/paste/unique.ts";
import { changedByPartTwo, isOnlyRenaming } from "../plan/changed-tables.ts";
import type { MigrationPlan } from "../plan/migration-plan.ts";
import type { Question, Step } from "../../migrate.ts";
import type { Steps } from "../../rows/steps.ts";
import type { Tables } from "../../tables.ts";
import type { PreparedRewrite } from "./prepare-rewrite.ts";
import { type ChangeProgress, applyChange, rewriteTables } from "./apply-change.ts";
import { type Violation, violationsOf, recordRuleViolations, type RuleQuestion } from "./check-records.ts";
import { answerQuestion, type Found } from "./questions.ts";
import { countOn } from "./continue-sequence.ts";
import { dueAtOnce } from "./due-at-once.ts";
import { forgetResource } from "./forget-resource.ts";
import type { NextTable } from "./next-tables.ts";
import { countOf, run } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { machine } from "../../../support/machine.ts";
import type { PlannedChange } from "../plan/planned-change.ts";
import type { Column, Table } from "../../table.ts";

export interface MigrationRun {
  readonly words: MigrationDialect;
  /** The store's name in messages. */
  readonly path: string;
  /** The document's model, and the tables that it requires. */
  readonly model: Model;
  readonly tables: Tables;
  /** Whether losses are confirmed. */
  readonly losesData: boolean;
  /** The path of the store's backup. */
  readonly copy: string | null;
  readonly watch: MigrationWatch;
  /** A rewrite that was prepared while the store was in use. */
  readonly prepared?: PreparedRewrite | undefined;
}

/** Callbacks for progress. */
export interface MigrationWatch {
  /** The progress of a stored change that iterates records; a record counts each time it is read. */
  readonly onRecords?: (change: string, done: number, all: number) => void;
  /** How many records of a resource were checked against its rules. */
  readonly onChecked?: (resource: string, done: number, all: number) => void;
  /**
   * Called inside the transaction, before and after the next tables of a change replace the
   * existing ones.
   */
  readonly beforeSwap?: (change: PlannedChange, next: ReadonlyMap<string, NextTable>) => Steps<void>;
  readonly afterChange?: (change: PlannedChange) => void;
  /** The confirmed losses, known after the stored changes were applied. */
  readonly onLosses?: (losses: readonly string[]) => void;
  /** The records that a changed time ends or changes at once, as text. */
  readonly onDue?: (lines: readonly string[]) => void;
}

export interface ChangeResult {
  readonly records: number;
  readonly ms: number;
}

export type NamedChangeResult = ChangeResult & { readonly name: string };

/** For records that a step makes invalid under part 2. */
const whenText =
  "State in the step how these records change, too (`… when …`), or change them while the previous document is served.";

/** For records that violate a rule of part 2 without any step. */
const becomesText =
  "State in a stored change how these records change (`… when …`), or change them while the previous document is served.";

/** Inside one transaction, with foreign keys not enforced. @throws StoreMismatch if the data doesn't fit */
export function* applySteps(plan: MigrationPlan, taking: MigrationRun): Steps<readonly NamedChangeResult[]> {
  const { changes, migration } = plan;
  const { watch, words, tables } = taking;
  const made: NamedChangeResult[] = [];
  for (const change of changes) {
    const changeMade = yield* makeTimed(change, taking);
    yield* noteChange(change, changeMade, taking);
    made.push({ name: change.step.name, ...changeMade });
    watch.afterChange?.(change);
  }
  const losses = yield* confirmLosses(plan, taking);
  if (losses.length > 0) watch.onLosses?.(losses);
  yield* rewriteForPartTwo(plan, taking);
  for (const step of inOrder(migration.steps, words)) yield* takeStep(step, taking);
  const broken = canCheckRecordRulesFirst(migration)
    ? []
    : yield* recordRuleViolations(ruleQuestions(migration), taking);
  if (broken.length > 0)
    throw new StoreMismatch(
      taking.path,
      [],
      broken.map(({ message }) => message),
      { hint: whenText },
    );
  const due = watch.onDue ? yield* dueAtOnce(plan.before, tables, words) : [];
  if (due.length > 0) watch.onDue?.(due);
  return made;
}

/** If the database checks the last index first, the keys of a table are created from last to first. */
function inOrder(steps: readonly Step[], { checksLastIndexFirst }: MigrationDialect): readonly Step[] {
  if (!checksLastIndexFirst) return steps;
  const keys = Map.groupBy(
    steps.filter((step) => step.step === "create unique"),
    ({ table }) => table.name,
  );
  return steps.map((step) =>
    step.step === "create unique" ? (keys.get(step.table.name)?.pop() ?? step) : step,
  );
}

/** @throws StoreMismatch if records can't be converted as the step states */
function* makeTimed(
  change: PlannedChange,
  { words, path, watch, prepared }: MigrationRun,
): Steps<ChangeResult> {
  const from = machine.elapsed();
  const { beforeSwap } = watch;
  const isPrepared = prepared?.change === change;
  const changeWatch: ChangeProgress = {
    // All records were read while it was prepared.
    ...(watch.onRecords && !isPrepared && { onRecords: yield* reporting(change, words, watch.onRecords) }),
    ...(beforeSwap && { beforeSwap: (next) => beforeSwap(change, next) }),
    ...(isPrepared && { prepared }),
  };
  try {
    const { records, broken } = yield* applyChange(change, words, changeWatch);
    refuseBroken(broken, change, path);
    return { records, ms: Math.round(machine.elapsed() - from) };
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
    throw new StoreMismatch(path, [], [ofChange(`the database can't evaluate ${error.message}`, change)]);
  }
}

function ofChange(line: string, { step }: PlannedChange): string {
  return `stored change ${step.name}: ${line}`;
}

/**
 * @param broken what is wrong with new values, by record
 * @param change undefined if only part 2 changes
 * @throws StoreMismatch if there is anything
 */
export function refuseBroken(
  broken: readonly string[],
  change: PlannedChange | undefined,
  path: string,
): void {
  if (broken.length === 0) return;
  if (!change) throw new StoreMismatch(path, [], broken);
  const lines = broken.map((line) => ofChange(line, change));
  throw new StoreMismatch(path, [], lines, { hint: whenText });
}

/** Reports the progress of a change, of all the records that it reads. */
export function* reporting(
  change: PlannedChange,
  words: MigrationDialect,
  report: NonNullable<MigrationWatch["onRecords"]>,
): Steps<(count: number) => void> {
  let all = 0;
  if (isOnlyRenaming(change)) return () => {};
  for (const { before, forEach } of change.changes) {
    const deletes = forEach.flatMap(({ effects }) => effects.filter(({ kind }) => kind === "delete"));
    const isRekeyed = change.rekeyed.some((rekeyed) => rekeyed.before === before.name);
    all += (1 + deletes.length + Number(isRekeyed)) * (yield* countOf(words.table(before.name)));
  }
  let done = 0;
  return (count) => {
    done += count;
    report(change.step.name, done, all);
  };
}

function* noteChange(
  { step }: PlannedChange,
  { records, ms }: ChangeResult,
  { copy }: Pick<MigrationRun, "copy">,
): Steps<void> {
  // The step of a version may be applied again, for renames that were added since.
  yield* run(
    `INSERT INTO ninefold_changes (name, hash, at, records, ms, copy) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, at = excluded.at, records = excluded.records, ms = excluded.ms, copy = excluded.copy`,
    [step.name, step.hash, new Date(machine.now()).toISOString(), records, ms, copy],
  );
}

/** Returns the losses, if they are confirmed. @throws StoreMismatch */
export function* confirmLosses(plan: MigrationPlan, context: LossContext): Steps<readonly string[]> {
  const { changes, migration, before, usedNames } = plan;
  const { words, path, model, tables, losesData } = context;
  const found: Found[] = [];
  for (const question of migration.questions) {
    if (isOfRules(question)) continue;
    const failed = yield* answerQuestion(question, before.tables, words);
    if (failed) found.push(failed);
  }
  const losses = found.filter(isLoss);
  const obstacles = found.filter((candidate) => !isLoss(candidate));
  const broken = yield* brokenRules(plan, found, context);
  const isRefused = obstacles.length + broken.length > 0 || (losses.length > 0 && !losesData);
  const advice = found.map(({ question }) => adviceForSetRepeats(question, changes));
  const convertible = found.filter((_, at) => advice[at] === undefined);
  const hints = [
    ...new Set(advice.filter((hint) => hint !== undefined)),
    ...(broken.length > 0 ? [changes.length > 0 ? whenText : becomesText] : []),
  ];
  if (isRefused)
    throw new StoreMismatch(
      path,
      losses.map(({ reported }) => reported),
      [...obstacles.map(({ reported }) => reported), ...broken.map(({ message }) => message)],
      {
        paste: linesToPaste(migration, [...convertible, ...broken.map(standing)], {
          before,
          after: tables,
          model,
          usedNames,
        }),
        ...(hints.length > 0 && { hint: hints.join("\n") }),
        copiesFirst: words.copiesFirst,
      },
    );
  return losses.map(({ reported }) => reported);
}

type LossContext = Pick<MigrationRun, "words" | "path" | "model" | "tables" | "losesData"> & {
  readonly watch?: MigrationWatch;
};

/** The violations of records, for fields without another obstacle. */
function* brokenRules(
  { migration, before }: MigrationPlan,
  found: readonly Found[],
  { words, model, tables, watch }: LossContext,
): Steps<readonly Violation[]> {
  const isReported = (question: RuleQuestion): boolean =>
    question.kind === "rules" &&
    found.some(
      ({ question: failedQuestion }) =>
        failedQuestion.table === question.table &&
        "column" in failedQuestion &&
        failedQuestion.column === question.column,
    );
  const questions = ruleQuestions(migration).filter((ruleQuestion) => !isReported(ruleQuestion));
  const checking = { words, model, before, tables, ...(watch?.onChecked && { onChecked: watch.onChecked }) };
  const broken = yield* violationsOf(questions, checking);
  return canCheckRecordRulesFirst(migration)
    ? [...broken, ...(yield* recordRuleViolations(questions, checking))]
    : broken;
}

function standing({ question }: Violation): FailedQuestion {
  return { question, values: [] };
}

function isOfRules(question: Question): question is RuleQuestion {
  return question.kind === "rules" || question.kind === "record rule";
}

function ruleQuestions({ questions }: MigrationPlan["migration"]): readonly RuleQuestion[] {
  return questions.filter(isOfRules);
}

/**
 * Whether invariants that read other records can be checked before anything is changed: all columns
 * exist already.
 */
function canCheckRecordRulesFirst({ steps }: MigrationPlan["migration"]): boolean {
  return steps.every(({ step }) => indexSteps.has(step));
}

const indexSteps: ReadonlySet<Step["step"]> = new Set<Step["step"]>([
  "create index",
  "drop index",
  "create unique",
  "drop unique",
]);

function isLoss({ question: { kind: execute } }: Found): boolean {
  return execute === "no records" || execute === "nothing said" || execute === "no parts lost";
}

// ── Changes of part 2 alone ────────────────────────────────────────────────────────────────

function* rewriteForPartTwo(
  { migration, before }: MigrationPlan,
  { words, tables, model, path, prepared }: MigrationRun,
): Steps<void> {
  const meaning = meaningOf(model);
  const changed = changedByPartTwo(migration.steps, { before, after: tables, meaning });
  if (changed.changes.length === 0) return;
  const isPrepared = prepared !== undefined && prepared.change === undefined;
  const { broken } = yield* rewriteTables(changed, words, isPrepared ? { prepared } : {});
  refuseBroken(broken, undefined, path);
}

function* takeStep(
  step: Step,
  { words, tables, model }: Pick<MigrationRun, "words" | "tables" | "model">,
): Steps<void> {
  const name = words.table(step.table.name);
  switch (step.step) {
    case "create table":
      yield* run(words.createTable(step.table, tables));
      return void (step.table.key && (yield* run(words.createKeyIndex(step.table))));
    case "drop table":
      yield* run(`DROP TABLE ${name}`);
      return yield* forgetResource(step.table, words);
    case "add column":
      yield* run(`ALTER TABLE ${name} ADD COLUMN ${words.columnDefinition(step.column, step.table, tables)}`);
      return yield* fill(step.table, step.column, words);
    case "count on":
      return yield* countOn(step.table, step.column, { words, model, tables });
    case "rewrite":
      // All of them were made at once.
      return;
    case "drop index":
      return void (yield* run(
        `DROP INDEX IF EXISTS ${words.named(words.indexName(step.table, step.index))}`,
      ));
    case "create index": {
      const statement = words.createIndex(step.table, step.index);
      if (statement !== undefined) yield* run(statement);
      return;
    }
    case "drop unique":
      return void (yield* run(`DROP INDEX IF EXISTS ${words.named(words.uniqueName(step.table, step.key))}`));
    case "create unique":
      yield* run(words.createUnique(step.table, step.key));
  }
}

function* fill(table: Table, column: Column, words: MigrationDialect): Steps<void> {
  const statement = words.fillStatement(table, column);
  if (statement !== undefined) yield* run(statement);
}
