/**
 * Plans what a start does to a store: the pending stored changes, each with its effect on the
 * tables, and the remaining differences.
 */
import type { Meaning } from "../../../expressions/scope.ts";
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { type StoredForm, storedFormOf } from "../../../model/stored/form.ts";
import { formsOf } from "../../../model/stored/walk-back.ts";
import { StoreMismatch } from "../../errors.ts";
import { isCheckable, type RecordRule, recordRulesOf, resourcesOfRule } from "../../stored-rules.ts";
import { type Migration, planMigration, type Question } from "../../migrate.ts";
import type { Tables } from "../../tables.ts";
import { changedTables } from "./changed-tables.ts";
import { endedTokens } from "./ended-tokens.ts";
import { planForEach } from "./for-each.ts";
import { namesAtStep } from "./names-at-step.ts";
import { type AppliedChange, pendingChanges } from "./pending-changes.ts";
import { renamedTables } from "./renamed-tables.ts";
import { formAfter, storedFormOfTables } from "./stored-form.ts";
import { touchedResources } from "./touched-resources.ts";
import type { PlannedChange } from "./planned-change.ts";

export interface MigrationPlan {
  readonly changes: readonly PlannedChange[];
  /** The tables after the stored changes. */
  readonly before: Tables;
  /** Names of stored changes that are in use. */
  readonly usedNames: ReadonlySet<string>;
  /** From the tables after the stored changes to those of the document. */
  readonly migration: Migration;
}

export interface PlanningOptions {
  readonly path: string;
  readonly onWarning?: (message: string) => void;
}

/** The tables of a store, and the stored changes that it has applied. */
export interface StoredState {
  readonly tables: Tables;
  readonly applied: readonly AppliedChange[];
}

/** The plan of a new store: its tables are created as they are after the last step. */
export function planNewStore(model: Model, tables: Tables): MigrationPlan {
  const usedNames = namesTaken(model, []);
  return { changes: [], before: noTables, usedNames, migration: planMigration(noTables, tables) };
}

/** Undefined if the store already has the tables of the document. @throws StoreMismatch */
export function planBetween(
  { tables: kept, applied }: StoredState,
  model: Model,
  tables: Tables,
  { path, onWarning = () => {} }: PlanningOptions,
): MigrationPlan | undefined {
  const pending = pendingChanges(model.versioning, applied, { kept, wanted: tables });
  for (const warning of pending.warnings) onWarning(warning);
  if (pending.obstacles.length > 0) throw new StoreMismatch(path, [], pending.obstacles);
  if (pending.steps.length === 0 && JSON.stringify(kept) === JSON.stringify(tables)) return undefined;
  let before = kept;
  const forms = [...formsOf(model), storedFormOf(model.resources)];
  const changes = pending.steps.map((step, at): PlannedChange => {
    const renamed = renamedTables(before, step);
    const place = model.versioning.storedChanges.findIndex(({ name }) => name === step.name);
    const result = forms[place + 1] as StoredForm;
    const later = namesAtStep(pending.steps.slice(at + 1), model, tables);
    const times = { before: storedFormOfTables(before), after: formAfter(renamed.after, step, result) };
    const changed = changedTables(renamed, step, {
      planned: planForEach(step, times, { model, later }),
      later,
    });
    before = changed.after;
    return { step, ...changed, endedTokens: endedTokens(changed, model) };
  });
  const obstacles = changes.flatMap((change) => change.obstacles);
  if (obstacles.length > 0) throw new StoreMismatch(path, [], obstacles);
  const usedNames = namesTaken(model, applied);
  const migration = withRecordRules(touchedResources(changes), planMigration(before, tables), model);
  return { changes, before, usedNames, migration };
}

/**
 * Adds checks of invariants for all records that stored changes have touched, and for records whose
 * invariants read a touched record. The plan has a line for each new invariant.
 */
function withRecordRules(touched: ReadonlySet<string>, migration: Migration, model: Model): Migration {
  const meaning = meaningOf(model);
  const questions: Question[] = [];
  const lines: string[] = [];
  for (const resource of model.resources)
    for (const rule of recordRulesOf(resource, meaning)) {
      const checked = migration.questions.find(
        (question) =>
          question.kind === "record rule" &&
          question.table === resource.name &&
          question.digest === rule.digest,
      );
      if (checked?.kind === "record rule" && !checked.isFirst)
        lines.push(recordRuleText(resource.name, rule, meaning));
      const read = [resource.name, ...resourcesOfRule(rule, meaning)];
      if (!checked && read.some((name) => touched.has(name)))
        questions.push({ kind: "record rule", table: resource.name, digest: rule.digest, isFirst: true });
    }
  return {
    ...migration,
    questions: [...migration.questions, ...questions],
    ruleLines: [...migration.ruleLines, ...lines],
  };
}

function recordRuleText(name: string, rule: RecordRule, meaning: Meaning): string {
  const line = `${name}: \`${rule.kind}: ${rule.text}\` from now on`;
  return isCheckable(rule, meaning)
    ? line
    : `${line}; it reads the request, the time or the service, so stored records aren't checked`;
}

function namesTaken({ versioning }: Model, had: readonly AppliedChange[]): ReadonlySet<string> {
  const names = [...had, ...versioning.storedChanges].map(({ name }) => name);
  return new Set(versioning.storedFrom ? [...names, versioning.storedFrom.text] : names);
}

/** The stored changes that a new store records as applied: it needs none of them. */
export function changesOfNewStore({ versioning }: Model): readonly AppliedChange[] {
  const { storedFrom, storedChanges } = versioning;
  // The document no longer contains the text of the first of them.
  const former = storedFrom ? [{ name: storedFrom.text, hash: "" }] : [];
  return [...former, ...storedChanges.map(({ name, hash }) => ({ name, hash }))];
}

const noTables: Tables = { tables: [], references: [] };
