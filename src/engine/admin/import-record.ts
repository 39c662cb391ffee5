/**
 * Imports one record of a file under the document's rules: creates it, or updates it if the mode
 * allows that and it exists. The record may come from another store, so its identifier, its state
 * and fields that the service sets are accepted as given.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Json } from "../../support/json.ts";
import { storeEvents } from "../events/events.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord, updateRecord } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHidden } from "../records/hidden-fields.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import type { Service } from "../service.ts";
import { restoreHiddenParts } from "./hidden-parts.ts";
import { checkReferences, notSettable, readFields, type SentFields } from "./read-fields.ts";
import { fieldsRefusedBy } from "./refusals.ts";

/**
 * `add`: all records are new. `upsert`: existing records are updated. `replace`: existing records
 * are updated, and their absent fields cleared.
 */
export const importModes = ["add", "upsert", "replace"] as const;
export type ImportMode = (typeof importModes)[number];

export interface ImportOptions {
  readonly mode: ImportMode;
  /** Stores events and sends them to their receivers. */
  readonly events: boolean;
}

/**
 * Imports a record.
 * @throws FieldsRefused
 */
export async function importRecord(
  { internals: { context, shared } }: Service,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  sent: SentFields,
  { mode, events }: ImportOptions,
): Promise<"made" | "changed"> {
  try {
    const found = mode === "add" ? null : await existingRecord(context, plan, evaluation, sent);
    if (found) await change(context, plan, evaluation, found, sent, mode === "replace");
    else {
      const { values, references } = readFields(context, plan, sent, true, true);
      await checkReferences(context, plan, references, evaluation);
      await createRecord(context, plan, evaluation, values, { isManual: true });
    }
    await completeChanges(context, evaluation);
    if (events) await storeEvents(context, shared.events, evaluation);
    return found ? "changed" : "made";
  } catch (error) {
    throw fieldsRefusedBy(error, plan.name) ?? error;
  }
}

/**
 * Finds the existing record with the identifier that was sent; null if there is none, or none was
 * sent.
 */
async function existingRecord(
  context: PlanContext,
  plan: ResourcePlan,
  { work, frame }: EvaluationContext,
  sent: SentFields,
): Promise<RecordValue | null> {
  if (plan.identifier.some((name) => (sent[name] ?? null) === null)) return null;
  const named = Object.fromEntries(plan.identifier.map((name) => [name, sent[name] as Json]));
  // Only the identifier is read: an existing record may already have the fields that a new one
  // requires.
  const { values } = readFields(context, plan, named, true, true, plan.identifier);
  return plan.find(work.session, frame, plan.identifierOf(values));
}

async function change(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  sent: SentFields,
  isWhole: boolean,
): Promise<void> {
  const state = plan.machine?.field;
  const own: Record<string, Json> = isWhole ? emptied(plan, sent) : {};
  for (const [name, json] of Object.entries(sent)) {
    if (plan.identifier.includes(name) || (name === state && json === record[name])) continue;
    own[name] = json;
  }
  const { values, references } = readFields(context, plan, own, false);
  await checkReferences(context, plan, references, evaluation);
  const changes = restoreHiddenParts(context, plan, record, values);
  await updateRecord(context, plan, recordContext(evaluation, plan, record), record, changes);
}

/**
 * Sets absent fields to null for a file that replaces records. Hidden fields and fields that the
 * service sets keep their values.
 */
function emptied(plan: ResourcePlan, sent: SentFields): Record<string, Json> {
  const names = plan.stored.filter(
    (field) =>
      !(field.name in sent) &&
      !isHidden(field) &&
      !hasRule(field.rules, "on update") &&
      notSettable(plan, field, false) === undefined &&
      !plan.defaultValues.some((filler) => filler.field === field.name),
  );
  return Object.fromEntries(names.map(({ name }) => [name, null]));
}
