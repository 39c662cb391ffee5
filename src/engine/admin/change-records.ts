/**
 * Record changes by an operator: creates, edits and deletes records, and fires their transitions.
 * `operator-write.ts` runs the transaction.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Field } from "../../model/model.ts";
import { Conflict, type DeletedRecord } from "../../store/store.ts";
import { nearest } from "../../support/nearest.ts";
import { createRecord, deleteRecord, updateRecord } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import { assignToThis } from "../records/assign-to-this.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { type EvaluationContext, setRecord, transactionOf } from "../evaluation/context.ts";
import { chooseByGuard, matchingEnds, runEnd, transitionPlan } from "../records/transition.ts";
import type { Service } from "../service.ts";
import { restoreHiddenParts } from "./hidden-parts.ts";
import { noSuchRecord, findOperatorRecord } from "./read-record.ts";
import { writeAsOperator, type SeenRevision, writeRevision } from "./operator-write.ts";
import { checkReferences, readFields, readInputs, type SentFields } from "./read-fields.ts";
import { FieldsRefused } from "./refusals.ts";
import type { OperatorRecord } from "./operator-record.ts";
import { transitionInputs } from "./transition-callers.ts";
import { withExit } from "../../support/early-exit.ts";

export interface CreatedByOperator {
  readonly record: OperatorRecord;
  /** Secrets in plain text, by field: returned only this once. */
  readonly shown: Readonly<Record<string, string>>;
}

/**
 * Creates a record.
 * @throws FieldsRefused
 */
export async function makeRecord(
  service: Service,
  resource: string,
  sent: SentFields,
): Promise<CreatedByOperator> {
  const { context } = service.internals;
  const plan = context.resource(resource);
  const { values, references } = readFields(context, plan, sent, true);
  const made = await writeAsOperator(
    service,
    plan,
    async (evaluation) => {
      await checkReferences(context, plan, references, evaluation);
      return savedKey(evaluation, plan, await createRecord(context, plan, evaluation, values));
    },
    await hashesOf(service, plan, sent),
  );
  return savedRecord(service, plan, made);
}

/**
 * Changes some fields.
 * @throws NoSuchRecord | ChangedMeanwhile | FieldsRefused
 */
export async function changeRecord(
  service: Service,
  seen: SeenRevision,
  sent: SentFields,
): Promise<CreatedByOperator> {
  const { context } = service.internals;
  const plan = context.resource(seen.resource);
  const { values, references } = readFields(context, plan, sent, false);
  const made = await writeRevision(
    service,
    seen,
    async (evaluation, record) => {
      refuseDeleted(plan, record);
      await checkReferences(context, plan, references, evaluation);
      const inner = recordContext(evaluation, plan, record);
      const changes = restoreHiddenParts(context, plan, record, values);
      return savedKey(evaluation, plan, await updateRecord(context, plan, inner, record, changes));
    },
    await hashesOf(service, plan, sent),
  );
  return savedRecord(service, plan, made);
}

/**
 * Fires a transition that can be called, as another record's effect would.
 * @throws NoSuchRecord | ChangedMeanwhile | FieldsRefused
 */
export async function fireTransitionByOperator(
  service: Service,
  seen: SeenRevision,
  name: string,
  sent: SentFields,
): Promise<CreatedByOperator> {
  const { context } = service.internals;
  const plan = context.resource(seen.resource);
  const transition = plan.machine?.transitions.get(name);
  if (!transition) {
    const suggestion = nearest(name, plan.machine?.transitions.keys() ?? []);
    const hint = suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`;
    throw new FieldsRefused(plan.name, [
      { field: "", message: `has no transition "${name.slice(0, 100)}"${hint}` },
    ]);
  }
  const { values, body, references } = readInputs(
    context,
    plan,
    transitionInputs(service.model, plan.name, name),
    sent,
  );
  const made = await writeRevision(service, seen, async (evaluation, record) => {
    refuseDeleted(plan, record);
    await checkReferences(context, plan, references, evaluation);
    return savedKey(
      evaluation,
      plan,
      await fireTransitionWithin(service, plan, evaluation, record, name, values, body),
    );
  });
  return savedRecord(service, plan, made);
}

/**
 * Fires a transition within a write. Sets the sent fields before guards are evaluated, as an
 * endpoint does.
 */
export async function fireTransitionWithin(
  { internals: { context } }: Service,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  name: string,
  values: Readonly<Record<string, Value>> = {},
  body: Value = null,
): Promise<RecordValue> {
  const inner = recordContext(evaluation, plan, record, { body });
  setRecord(inner, "old", plan.name, record);
  const transition = transitionPlan(plan, name);
  const fitting = matchingEnds(plan, transition, record);
  for (const [field, value] of Object.entries(values)) assignToThis(context, inner, plan.name, field, value);
  return runEnd(context, plan, transition, await chooseByGuard(plan, transition, inner, fitting), inner);
}

export interface DeletedCounts {
  readonly resource: string;
  /**
   * The number of records that are deleted, this record included, and of records whose references
   * are cleared.
   */
  readonly deleted: number;
  readonly cleared: number;
}

/**
 * Deletes a record.
 * @throws NoSuchRecord | ChangedMeanwhile | FieldsRefused
 */
export function deleteByOperator(service: Service, seen: SeenRevision): Promise<readonly DeletedCounts[]> {
  const { context } = service.internals;
  return writeRevision(service, seen, async (evaluation, record, plan) => {
    refuseDeleted(plan, record);
    await deleteRecord(context, plan, evaluation, record);
    const { touched } = evaluation.work.journal;
    return deletedCounts(
      touched.map(({ resource, after }) => ({
        resource,
        deleted: after === null || after["#deleted"] === true,
      })),
    );
  });
}

export interface Deletion {
  readonly deleted: readonly DeletedCounts[];
  /** The reference that prevents the deletion, such as `Parcel.shop`; nothing is deleted then. */
  readonly inUseBy?: string;
}

/**
 * Previews a deletion: the store runs it and rolls it back before any reader sees it.
 * @throws NoSuchRecord
 */
export async function previewDeletion(
  service: Service,
  resource: string,
  identifier: string,
): Promise<Deletion> {
  try {
    return await withExit<Deletion>((exit) =>
      writeRevision(service, { resource, identifier }, async (evaluation, record, plan) => {
        refuseDeleted(plan, record);
        return exit({ deleted: deletedCounts(await transactionOf(evaluation).delete(resource, record)) });
      }),
    );
  } catch (error) {
    if (error instanceof Conflict)
      return { deleted: [], inUseBy: `${error.resource}.${error.fields.join(", ")}` };
    throw error;
  }
}

export function deletedCounts(
  records: readonly Pick<DeletedRecord, "resource" | "deleted">[],
): readonly DeletedCounts[] {
  const counts = new Map<string, { deleted: number; cleared: number }>();
  for (const { resource, deleted } of records) {
    const count = counts.get(resource) ?? { deleted: 0, cleared: 0 };
    count[deleted ? "deleted" : "cleared"] += 1;
    counts.set(resource, count);
  }
  return [...counts].map(([resource, count]) => ({ resource, ...count }));
}

export function refuseDeleted(plan: ResourcePlan, record: RecordValue): void {
  if (record["#deleted"] === true)
    throw new FieldsRefused(plan.name, [{ field: "", message: "is deleted, and can't be changed" }]);
}

interface SavedKey {
  readonly key: Value;
  readonly shown: Readonly<Record<string, string>>;
}

function savedKey({ work }: EvaluationContext, plan: ResourcePlan, record: RecordValue): SavedKey {
  const prefix = `${plan.name}#${record["#row"]}.`;
  const own = [...work.onceValues].filter(([place]) => place.startsWith(prefix));
  return {
    key: plan.identifierOf(record),
    shown: Object.fromEntries(own.map(([place, text]) => [place.slice(prefix.length), text])),
  };
}

/**
 * Reads the created or changed record.
 * @throws NoSuchRecord if the record's own transitions have deleted it
 */
async function savedRecord(
  service: Service,
  plan: ResourcePlan,
  { key, shown }: SavedKey,
): Promise<CreatedByOperator> {
  const record = await findOperatorRecord(service, plan, key);
  if (!record) throw noSuchRecord(plan, String(key));
  return { record, shown };
}

/** Hashes passwords before the write, in a worker. */
async function hashesOf(
  { internals: { secrets } }: Service,
  plan: ResourcePlan,
  sent: SentFields,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const [name, text] of Object.entries(sent)) {
    const field: Field | undefined = plan.fields.get(name);
    if (field?.type.kind !== "password" || typeof text !== "string") continue;
    hashes.set(text, await secrets.hashPasswordInWorker(text, { address: "operator", account: "" }));
  }
  return hashes;
}
