/**
 * Start records (part 2, `### Records of Currency`): records that exist in every store from the
 * start. Each row is inserted once. After the document changes it, the fields that differ are set
 * again. In between, the record belongs to the service, which may change or delete it.
 */
import { sameValue } from "../../expressions/order.ts";
import type { Frame, RecordValue } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { Transaction } from "../../store/store.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Position } from "../../source/source.ts";
import { checkOtherRules, mayPassLater, refusal, identifierOfDeleted } from "./start-record-rules.ts";
import { createRecord, DuplicateFound, updateRecord, type Values } from "./change.ts";
import { recordContext } from "./record-context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { storedForm } from "./stored-form.ts";
import { createEvaluationContext, createUnitOfWork, type UnitOfWork } from "../evaluation/context.ts";
import { completeChanges } from "./complete-changes.ts";
import { bareObject } from "../../support/bare-object.ts";

interface StartRow {
  readonly plan: ResourcePlan;
  readonly fields: Readonly<Record<string, Json>>;
  readonly position: Position;
  /**
   * The setting in which the store keeps the last applied row. Stored changes convert it
   * (`store/migrations/run/start-rows.ts`).
   */
  readonly setting: string;
  readonly text: string;
}

/**
 * Creates and updates start records that are not applied yet: all of them, or none.
 * @returns the earliest due time of the timers that were set
 * @throws StartRecordsRefused
 */
export async function insertStartRecords(
  context: PlanContext,
  newFrame: () => Frame,
  newWork: () => UnitOfWork,
): Promise<number | null> {
  const rows: StartRow[] = [];
  for (const row of rowsOf(context))
    if ((await context.store.session.system.setting(row.setting)) !== row.text) rows.push(row);
  if (rows.length === 0) return null;
  return context.store.write((transaction) => applyRows(context, rows, newFrame, newWork, transaction));
}

/**
 * Applies the rows that a transaction doesn't have yet. A migration does that before its commit,
 * and rolls it back (`store/migrations/run/start-check.ts`).
 * @param isUnknown whether the row can't be evaluated there, so that only the start can refuse it
 * @throws StartRecordsRefused
 */
export async function checkStartRecords(
  context: PlanContext,
  transaction: Transaction,
  newFrame: () => Frame,
  isUnknown: (error: unknown) => boolean,
): Promise<void> {
  const rows: StartRow[] = [];
  for (const row of rowsOf(context))
    if ((await transaction.system.setting(row.setting)) !== row.text) rows.push(row);
  const newWork = () => createUnitOfWork(transaction, transaction);
  await applyRows(context, rows, newFrame, newWork, transaction, isUnknown);
}

/** The settings that a store has when all rows of the document are applied. */
export function startSettings({ resources }: Model): ReadonlyMap<string, string> {
  return new Map(resources.flatMap(settingsOf).map(({ setting, text }) => [setting, text]));
}

async function applyRows(
  context: PlanContext,
  rows: readonly StartRow[],
  newFrame: () => Frame,
  newWork: () => UnitOfWork,
  transaction: Transaction,
  isUnknown: (error: unknown) => boolean = () => false,
): Promise<number | null> {
  let soonestDue: number | null = null;
  let waiting: readonly StartRow[] = rows;
  let refused: unknown;
  const freed: Freed = new Map();
  // A row may depend on a later row: rows that can't be stored yet are retried after the others.
  while (waiting.length > 0) {
    const again: StartRow[] = [];
    const duplicates: DuplicateFound[] = [];
    for (const row of waiting) {
      const work: UnitOfWork = { ...newWork(), session: transaction, transaction };
      try {
        await transaction.part(() => applyRow(context, row, work, transaction, newFrame(), freed.get(row)));
      } catch (error) {
        if (isUnknown(error)) continue;
        const reported = refusal(row, error);
        if (!mayPassLater(error)) throw reported;
        refused = reported;
        if (error instanceof DuplicateFound) duplicates.push(error);
        again.push(row);
      }
      if (work.earliestDueMs !== null)
        soonestDue = Math.min(soonestDue ?? work.earliestDueMs, work.earliestDueMs);
    }
    if (
      again.length === waiting.length &&
      !(await freeValues(context, again, duplicates, transaction, newFrame(), freed))
    )
      throw refused;
    waiting = again;
  }
  await checkOtherRules(context, new Set(rows.map(({ plan }) => plan.name)), transaction, newFrame());
  return soonestDue;
}

async function applyRow(
  context: PlanContext,
  row: StartRow,
  work: UnitOfWork,
  transaction: Transaction,
  frame: Frame,
  freed: Values | undefined,
): Promise<void> {
  const { plan, fields, setting, text } = row;
  // Another starting instance may have applied the row meanwhile, and callers may have changed the
  // record since.
  const former = await transaction.system.setting(setting);
  const changed = former === null ? fields : changedFields(fields, former);
  if (Object.keys(changed).length > 0) {
    const evaluation = createEvaluationContext(work, frame);
    const values: Values = Object.assign(bareObject(), fields);
    const stored = await plan.find(transaction, frame, plan.identifierOf(values));
    const found = stored && { ...stored, ...freed };
    if (former === null && found?.["#deleted"] === true) throw identifierOfDeleted(row);
    if (found) {
      const inner = recordContext(evaluation, plan, found);
      await updateRecord(context, plan, inner, found, Object.assign(bareObject(), changed));
    } else await createRecord(context, plan, evaluation, values, { isManual: true });
    await completeChanges(context, evaluation);
  }
  if (former !== text) await transaction.system.setSetting(setting, text);
}

/** The unique values that records of rows had, by row. These fields are null until the row is applied. */
type Freed = Map<StartRow, Values>;

/**
 * Rows may exchange unique values, so that each of them waits for another one: clears the values
 * that the records of waiting rows give up.
 * @returns whether a value was cleared
 */
async function freeValues(
  context: PlanContext,
  rows: readonly StartRow[],
  duplicates: readonly DuplicateFound[],
  transaction: Transaction,
  frame: Frame,
  freed: Freed,
): Promise<boolean> {
  let isAnyFreed = false;
  for (const row of rows) {
    const { plan, fields, setting } = row;
    const former = await transaction.system.setting(setting);
    const found = await plan.find(transaction, frame, plan.identifierOf(Object.assign(bareObject(), fields)));
    if (former === null || !found) continue;
    const given: Values = bareObject();
    const wanted = changedFields(fields, former);
    for (const name of duplicates
      .filter(({ resource }) => resource === plan.name)
      .flatMap(({ fields }) => fields))
      if (found[name] != null && givesUp(context, plan, found, wanted, name)) given[name] = found[name];
    const names = Object.keys(given);
    if (names.length === 0) continue;
    await transaction.update(plan.name, found, Object.fromEntries(names.map((name) => [name, null])));
    freed.set(row, { ...freed.get(row), ...given });
    isAnyFreed = true;
  }
  return isAnyFreed;
}

function givesUp(
  context: PlanContext,
  plan: ResourcePlan,
  found: RecordValue,
  wanted: StartRow["fields"],
  name: string,
): boolean {
  const value = wanted[name];
  return value !== undefined && !sameValue(storedForm(context, plan, name, value), found[name] ?? null);
}

/** The fields that differ from the row that was applied last. */
function changedFields(fields: StartRow["fields"], former: string): StartRow["fields"] {
  const last: StartRow["fields"] = JSON.parse(former);
  const isOther = ([name, value]: [string, Json]) => JSON.stringify(last[name]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(fields).filter(isOther));
}

/** Whether the store contains only start records. */
export async function hasOnlyStartRecords(context: PlanContext, frame: Frame): Promise<boolean> {
  for (const resource of context.model.resources) {
    if (resource.identifier.kind === "none" || resource.gap) continue;
    const query = context.store.prepareCount({ resource: resource.name, where: [], includesDeleted: true });
    if ((await context.store.session.count(query, frame)) > resource.records.length) return false;
  }
  return true;
}

function rowsOf(context: PlanContext): readonly StartRow[] {
  return context.model.resources.flatMap((resource) =>
    settingsOf(resource).map((row) => ({ ...row, plan: context.resource(resource.name) })),
  );
}

function settingsOf(resource: Resource): readonly Omit<StartRow, "plan">[] {
  // Gaps in start records are never filled in: requests that need them are answered with 501.
  if (resource.gap || resource.openItems?.records) return [];
  return resource.records.map(({ fields, position }) => {
    const identifier = JSON.stringify(identifierFields(resource).map((name) => fields[name] ?? null));
    const setting = `record ${resource.name} ${identifier}`;
    return { fields, position, setting, text: JSON.stringify(fields) };
  });
}
