/**
 * Record changes: creates, updates and deletes records in a transaction, with defaults, checks,
 * journal entries and timers. Only this file calls the store's `insert`, `update` and `delete`.
 */
import type { ObjectValue, RecordValue, Value } from "../../expressions/value.ts";
import { isShownOnce } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { keyLimits, Conflict } from "../../store/store.ts";
import { after, type Awaitable, forEachInOrder, withRecovery } from "../../support/awaitable.ts";
import { Fault } from "../../support/invariant.ts";
import { nonNull } from "../../support/non-null.ts";
import { operatorCeilings } from "../defaults.ts";
import type { PlanContext } from "./plan-context.ts";
import { NotShown, Problem } from "../problem.ts";
import type { DefaultValue } from "./default-values.ts";
import { checkFails, checkServiceValues } from "./record-rules.ts";
import type { ResourcePlan, Updater } from "./resource-plan.ts";
import { isHashed } from "./hidden-fields.ts";
import {
  recordOnceValue,
  refresh,
  type EvaluationContext,
  setRecord,
  transactionOf,
  isRecord,
} from "../evaluation/context.ts";
import { freeSlug } from "./slug.ts";
import { updateTimers } from "./timers.ts";
import { sameValue } from "../../expressions/order.ts";
import { bareObject } from "../../support/bare-object.ts";
import { storedForm } from "./stored-form.ts";
import { recordContext } from "./record-context.ts";

/** Values by field, from inputs, `Set` and effects. */
export type Values = Record<string, Value>;

export interface CreateOptions {
  /** Replaces the resource's own default values, for an endpoint with `Set`. */
  readonly defaultValues?: readonly DefaultValue[];
  /** Runs when the record has all its values. */
  readonly beforeStored?: () => Awaitable<void>;
  /** The service computed the inputs, and their rules are not checked yet. */
  readonly isServiceValue?: boolean;
  /** The document or the operator states the values, so sequences advance past them. */
  readonly isManual?: boolean;
}

/**
 * Creates a record in `evaluation`: `this` and the small name then refer to it. `inputs` come
 * first, then default values.
 * @throws Problem if a rule rejects the record, Fault if a value of the service violates a rule
 */
export function createRecord(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  inputs: Readonly<Values>,
  {
    defaultValues = plan.defaultValues,
    beforeStored,
    isServiceValue = false,
    isManual = false,
  }: CreateOptions = {},
): Awaitable<RecordValue> {
  countChange(evaluation);
  const draft: Draft = { values: { ...plan.empty }, given: new Set(), filled: new Set() };
  for (const field in inputs) {
    draft.values[field] = storedForm(context, plan, field, inputs[field] as Value);
    draft.given.add(field);
    if (isServiceValue) draft.filled.add(field);
  }
  setNew(plan, evaluation, draft.values);
  const filling = forEachInOrder(defaultValues, (defaultValue) =>
    applyDefault(context, plan, evaluation, draft, defaultValue, isManual),
  );
  const ready = after(filling, () => {
    const open = plan.gapsOnCreate.find(({ field }) => field === undefined || !draft.given.has(field));
    if (open) throw new NotShown(open.gap);
    refuseUntyped(plan, draft.values);
    return beforeStored?.();
  });
  const storing = after(ready, () => {
    checkServiceValues(plan, draft.values, draft.filled);
    return storeNew(plan, evaluation, draft.values);
  });
  return after(storing, (record) => {
    setNew(plan, evaluation, record);
    evaluation.work.journal.note("created", plan.name, null, record, evaluation.frame.caller);
    return after(updateTimers(plan, evaluation, null, record), () => record);
  });
}

function refuseUntyped({ untyped }: ResourcePlan, values: Readonly<Values>): void {
  for (const { field, gap } of untyped)
    if (field !== undefined && (values[field] ?? null) !== null) throw new NotShown(gap);
}

/** A record under construction. */
interface Draft {
  readonly values: Values;
  readonly given: Set<string>;
  /** Fields that the service itself has set. */
  readonly filled: Set<string>;
}

function setNew(plan: ResourcePlan, evaluation: EvaluationContext, record: ObjectValue): void {
  setRecord(evaluation, "this", plan.name, record);
  setRecord(evaluation, plan.resource.variableName, plan.name, record);
}

function applyDefault(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  { values, given, filled }: Draft,
  defaultValue: DefaultValue,
  isManual: boolean,
): Awaitable<void> {
  const { field } = defaultValue;
  if (given.has(field) && !defaultValue.overrides)
    return isManual ? defaultValue.advanceSequence?.(evaluation, values[field] ?? null) : undefined;
  return after(defaultValue.when ? defaultValue.when(evaluation) : true, (applies) => {
    if (applies !== true) return;
    const made = after(defaultValue.evaluate(evaluation), (value) => {
      const stored = storedForm(context, plan, field, value);
      return defaultValue.isSlug && typeof stored === "string"
        ? freeSlug(context, plan, field, stored, evaluation, null)
        : stored;
    });
    return after(made, (value) => {
      values[field] = value;
      given.add(field);
      filled.add(field);
    });
  });
}

function storeNew(plan: ResourcePlan, evaluation: EvaluationContext, values: Values): Awaitable<RecordValue> {
  if (plan.fails.length === 0 && !plan.hasQuotas) return insertNew(plan, evaluation, values);
  return uniqueFirst(
    async () => {
      await plan.quotas(evaluation, null, values);
      await checkFails(plan.fails, evaluation, plan.name);
    },
    () => insertNew(plan, evaluation, values),
  );
}

/**
 * Quotas and `Fails` are reported after uniqueness, which only the store can check (notation, "The
 * order of checks"). So a record that they reject is inserted even so, then rolled back.
 */
async function uniqueFirst(
  check: () => Awaitable<void>,
  store: () => Awaitable<RecordValue>,
): Promise<RecordValue> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Problem) await store();
    throw error;
  }
  return store();
}

/** Inserts a record. The response receives secrets as plain text, the store their hashes. */
function insertNew(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  stored: Values,
): Awaitable<RecordValue> {
  if (plan.secretFields.length === 0)
    return refused(plan, () => transactionOf(evaluation).insert(plan.name, stored));
  const shown: [string, string][] = [];
  for (const field of plan.secretFields) {
    const value = stored[field.name];
    if (typeof value !== "string") continue;
    if (isShownOnce(field.rules)) shown.push([field.name, value]);
    if (isHashed(field.type)) stored[field.name] = hashSecret(evaluation, field.type, value);
  }
  const storing = refused(plan, () => transactionOf(evaluation).insert(plan.name, stored));
  return after(storing, (record) => {
    for (const [field, text] of shown)
      recordOnceValue(evaluation.work, `${plan.name}#${record["#row"]}.${field}`, text);
    return record;
  });
}

/** Hashes a secret. Requests hash passwords earlier (`hashed`), because that is slow. */
function hashSecret(evaluation: EvaluationContext, type: FieldType, text: string): string {
  return type.kind === "credential"
    ? evaluation.frame.ports.hashCredential(text)
    : evaluation.frame.ports.hashPassword(text);
}

/**
 * Updates a record: applies `changes`, then `on update`. Without a difference, there is no revision
 * and no event. `evaluation` belongs to this record alone and is not usable afterwards.
 */
export function updateRecord(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  changes: Readonly<Values>,
): Awaitable<RecordValue> {
  const changed = bareObject<Values>();
  let any = false;
  for (const field in changes) {
    const stored = storedForm(context, plan, field, changes[field] as Value);
    if (sameValue(stored, record[field] ?? null)) continue;
    changed[field] = stored;
    any = true;
  }
  if (!any) return record;
  const open = plan.gapsOnUpdate.find(({ field }) => field === undefined || !(field in changes));
  if (open) throw new NotShown(open.gap);
  refuseUntyped(plan, changed);
  countChange(evaluation);
  const next: Values = { ...record };
  for (const field in changed) next[field] = changed[field] as Value;
  evaluation.frame.this = next;
  evaluation.frame.old = record;
  const updating = plan.updaters.length > 0 ? updatersOf(context, plan, evaluation, record, changes) : [];
  const storing = after(updating, (updated) => {
    for (const [field, value] of updated) {
      if (sameValue(value, record[field] ?? null)) continue;
      changed[field] = value;
      next[field] = value;
    }
    hideSecrets(plan, evaluation, record, changed);
    checkServiceValues(plan, next, new Set(Object.keys(changed)));
    return storeChanges(plan, evaluation, record, changed, next);
  });
  return after(storing, (now) => {
    evaluation.work.journal.note("updated", plan.name, record, now, evaluation.frame.caller);
    deferFails(plan, evaluation, now);
    return after(updateTimers(plan, evaluation, record, now), () => now);
  });
}

/** Replaces changed secrets by hashes. Values that are returned once are kept for the response. */
function hideSecrets(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  changed: Values,
): void {
  for (const field of plan.secretFields) {
    const value = changed[field.name];
    if (typeof value !== "string") continue;
    if (isHashed(field.type)) changed[field.name] = hashSecret(evaluation, field.type, value);
    if (isShownOnce(field.rules))
      recordOnceValue(evaluation.work, `${plan.name}#${record["#row"]}.${field.name}`, value);
  }
}

function storeChanges(
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  changed: Values,
  next: Values,
): Awaitable<RecordValue> {
  const store = () => refused(plan, () => transactionOf(evaluation).update(plan.name, record, changed));
  return plan.hasQuotas ? uniqueFirst(() => plan.quotas(evaluation, record, next), store) : store();
}

/** Evaluates `on update` of unset fields; `this` is the changed record, and `old` the old one. */
export async function updatersOf(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  changes: Readonly<Values>,
  updaters: readonly Updater[] = plan.updaters,
): Promise<readonly (readonly [string, Value])[]> {
  const values: [string, Value][] = [];
  // The caller has created this object and sees each value in it at once.
  const next = evaluation.frame.this as Values;
  for (const { field, evaluate } of updaters) {
    if (field in changes) continue;
    let value = storedForm(context, plan, field, await evaluate(evaluation));
    const isSlugged = plan.defaultValues.some(
      (defaultValue) => defaultValue.field === field && defaultValue.isSlug,
    );
    if (isSlugged && typeof value === "string" && value !== record[field])
      value = await freeSlug(context, plan, field, value, evaluation, record);
    values.push([field, value]);
    next[field] = value;
  }
  return values;
}

/** Defers `Fails` to the record's final state in the transaction: see `complete-changes.ts`. */
function deferFails(plan: ResourcePlan, evaluation: EvaluationContext, record: RecordValue): void {
  if (plan.fails.length === 0) return;
  evaluation.work.journal.deferFails({
    resource: plan.name,
    row: record["#row"],
    body: evaluation.frame.body,
  });
}

/** Deletes a record, and applies `on delete` to the records that refer to it. */
export async function deleteRecord(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
): Promise<void> {
  countChange(evaluation);
  const deletedRecords = await refusedAs(
    () => transactionOf(evaluation).delete(plan.name, record),
    (error) => openOnDelete(context, error) ?? refusal(plan, error),
  );
  for (const { resource, before, after, deleted } of deletedRecords) {
    if (deleted || !after) {
      evaluation.work.journal.note("deleted", resource, before, null, evaluation.frame.caller);
      await transactionOf(evaluation).system.clearTimers(resource, before["#row"]);
    } else await noteCleared(context, context.resource(resource), evaluation, before, after);
  }
  refresh(evaluation);
}

/** Notes records whose references `on delete clear` has cleared as changed, like any other. */
async function noteCleared(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  before: RecordValue,
  after: RecordValue,
): Promise<void> {
  evaluation.work.journal.note("updated", plan.name, before, after, evaluation.frame.caller);
  deferFails(plan, evaluation, after);
  await updateTimers(plan, evaluation, before, after);
  if (plan.updaters.length === 0) return;
  const next = Object.assign(bareObject(), after) as RecordValue;
  const inner = recordContext(evaluation, plan, next, { old: before });
  const values = Object.fromEntries(await updatersOf(context, plan, inner, before, {}));
  await updateRecord(context, plan, recordContext(evaluation, plan, after), after, values);
}

/** Converts a constraint error of the store into the notation's condition. */
function refused<T>(plan: ResourcePlan, work: () => Awaitable<T>): Awaitable<T> {
  return refusedAs(work, (error) => refusal(plan, error));
}

function refusedAs<T>(work: () => Awaitable<T>, refusalOf: (error: unknown) => unknown): Awaitable<T> {
  return withRecovery(work, (error) => {
    throw refusalOf(error);
  });
}

/** The gap of a referring field whose `on delete` is not shown. */
function openOnDelete(context: PlanContext, error: unknown): NotShown | undefined {
  if (!(error instanceof Conflict) || error.kind !== "in use") return undefined;
  const gap = context.resource(error.resource).fields.get(nonNull(error.fields[0]))?.open?.deleted;
  return gap && new NotShown(gap);
}

function refusal(plan: ResourcePlan, error: unknown): unknown {
  if (!(error instanceof Conflict)) return error;
  if (error.kind === "in use") {
    return new Problem({
      condition: "in use",
      resource: plan.name,
      referredBy: { resource: error.resource, field: nonNull(error.fields[0]) },
      problem: `is still referred to by ${error.resource}.${error.fields.join(", ")}`,
    });
  }
  if (error.kind === "unknown reference") {
    return new Problem({
      condition: "unknown reference",
      resource: plan.name,
      field: nonNull(error.fields[0]),
      problem: "refers to something that does not exist",
    });
  }
  if (error.kind === "unreachable") {
    return new Problem({
      condition: "invalid field",
      resource: plan.name,
      field: nonNull(error.fields[0]),
      problem: "identifies the record, and must not be `.`, `..` or empty, because no path can contain it",
    });
  }
  if (error.kind === "too long") {
    return new Problem({
      condition: "invalid field",
      resource: plan.name,
      field: nonNull(error.fields[0]),
      problem: `identifies the record, and has more than ${keyLimits.bytesMax} bytes`,
    });
  }
  return new DuplicateFound(error.resource, error.fields);
}

/** The input that has set a field, and its value. */
export interface SentField {
  readonly input: string;
  readonly value: Value;
}

/** A duplicate, naming a unique field (decision "The field blamed for a joint duplicate"). */
export class DuplicateFound extends Problem {
  readonly resource: string;
  readonly fields: readonly string[];
  /** @param sent the fields of the resource that the request has set */
  constructor(resource: string, fields: readonly string[], sent: ReadonlyMap<string, SentField> = new Map()) {
    const field = fields.find((candidate) => sent.has(candidate)) ?? nonNull(fields[0]);
    const blamed = sent.get(field);
    super({
      condition: "duplicate",
      resource,
      field: blamed?.input ?? field,
      ofField: field,
      ...(blamed ? { value: blamed.value } : {}),
      problem: "is already taken",
      uniqueFields: fields,
    });
    this.resource = resource;
    this.fields = fields;
  }

  /** Names the first unique field that the request set, or else the first one (same decision). */
  blaming(resource: string | undefined, sent: ReadonlyMap<string, SentField>): DuplicateFound {
    return resource === this.resource ? new DuplicateFound(resource, this.fields, sent) : this;
  }
}

function countChange(evaluation: EvaluationContext): void {
  if (evaluation.work.journal.occurrences.length >= operatorCeilings.changesMax) {
    throw new Problem({
      condition: "internal",
      problem: `would change more than ${operatorCeilings.changesMax} records`,
    });
  }
}

export function requireRecord(value: Value): RecordValue {
  if (!isRecord(value)) throw new Fault("expected a record");
  return value;
}
