/**
 * Erasure: deletes a record with all records that belong to it through references. Removes its data
 * from the event log, deliveries and stored responses. An erasure emits no event, because an event
 * would store the data again.
 */
import { isList, isObject, type RecordValue, type Value } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import {
  type ErasedTraces,
  Conflict,
  type DeletedRecord,
  type Restricted,
  type Traces,
} from "../../store/store.ts";
import { updateTimers } from "../records/timers.ts";
import { createEvaluationContext, type EvaluationContext, transactionOf } from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Service } from "../service.ts";
import { type DeletedCounts, deletedCounts } from "./change-records.ts";
import { parseKey, noSuchRecord } from "./read-record.ts";
import { FieldsRefused, fieldsRefusedBy } from "./refusals.ts";
import { withExit } from "../../support/early-exit.ts";

export interface Erasure extends ErasedTraces {
  readonly deleted: readonly DeletedCounts[];
  /** The reference that prevents the erasure, such as `Parcel.shop`; nothing is erased then. */
  readonly inUseBy?: string;
  /**
   * Whether the erased data is unreadable in the store's files. False if a reader is active: the
   * database's log has the data until that reader finishes.
   */
  readonly isClean?: boolean;
}

export interface EraseOptions {
  readonly resource: string;
  readonly identifier: string;
  /** What happens to records that refer to the record under `restrict`. */
  readonly restricted: Restricted;
}

/**
 * Erases a record.
 * @throws NoSuchRecord | FieldsRefused
 */
export async function eraseRecordByOperator(service: Service, options: EraseOptions): Promise<Erasure> {
  const { store } = service.internals.context;
  const plan = service.internals.context.resource(options.resource);
  const done = await store
    .write((transaction) => erase(service, plan, options, createEvaluationOf(service, transaction)), {
      isUnlimited: true,
    })
    .catch((error: unknown) => {
      if (error instanceof Conflict) throw new FieldsRefused(plan.name, [inUse(error)]);
      throw fieldsRefusedBy(error, plan.name) ?? error;
    });
  return { ...done, isClean: (await store.scrub?.()) ?? true };
}

/**
 * Previews an erasure: the store runs it and rolls it back before any reader sees it.
 * @throws NoSuchRecord | FieldsRefused
 */
export async function previewErasure(service: Service, options: EraseOptions): Promise<Erasure> {
  const plan = service.internals.context.resource(options.resource);
  try {
    return await withExit<Erasure>((exit) =>
      Promise.resolve(
        service.internals.context.store.write(
          async (transaction) =>
            exit(await erase(service, plan, options, createEvaluationOf(service, transaction))),
          { isUnlimited: true },
        ),
      ),
    );
  } catch (error) {
    if (error instanceof Conflict)
      return {
        deleted: [],
        events: 0,
        deliveries: 0,
        answers: 0,
        inUseBy: `${error.resource}.${error.fields.join(", ")}`,
      };
    throw fieldsRefusedBy(error, plan.name) ?? error;
  }
}

function inUse({ resource, fields }: Conflict) {
  return { field: "", message: `is still referred to by ${resource}.${fields.join(", ")}` };
}

function createEvaluationOf(
  { internals }: Service,
  transaction: NonNullable<EvaluationContext["work"]["transaction"]>,
): EvaluationContext {
  const frame = internals.newFrame(internals.context.ports.clock.now());
  return createEvaluationContext({ ...internals.newWork(), session: transaction, transaction }, frame);
}

async function erase(
  service: Service,
  plan: ResourcePlan,
  { identifier, restricted }: EraseOptions,
  evaluation: EvaluationContext,
): Promise<Erasure> {
  const { context } = service.internals;
  const record = await findRecord(service, plan, identifier, evaluation);
  const transaction = transactionOf(evaluation);
  const all = await transaction.erase(plan.name, record, restricted);
  for (const { resource, before, after } of all) {
    if (after === null) {
      evaluation.work.journal.note("deleted", resource, before, null, null);
      await transaction.system.clearTimers(resource, before["#row"]);
    } else {
      const own = context.resource(resource);
      refuseEmptied(own, before, after);
      evaluation.work.journal.note("updated", resource, before, after, null);
      await updateTimers(own, evaluation, before, after);
    }
  }
  await completeChanges(context, evaluation);
  const blanked = await transaction.system.blank(tracesOf(service, all));
  return { ...blanked, deleted: deletedCounts(all) };
}

/**
 * Finds the record, even if it is soft-deleted.
 * @throws NoSuchRecord
 */
async function findRecord(
  service: Service,
  plan: ResourcePlan,
  identifier: string,
  { work, frame }: EvaluationContext,
): Promise<RecordValue> {
  const record = await plan.find(work.session, frame, parseKey(service, plan, identifier));
  if (!record) throw noSuchRecord(plan, identifier);
  return record;
}

/**
 * Rejects an erasure that would clear a required reference.
 * @throws FieldsRefused
 */
function refuseEmptied(plan: ResourcePlan, before: RecordValue, after: RecordValue): void {
  const emptied = plan.stored.find(
    ({ name, rules }) =>
      (before[name] ?? null) !== null &&
      (after[name] ?? null) === null &&
      (hasRule(rules, "required") || plan.identifier.includes(name) || plan.alwaysSet.has(name)),
  );
  if (emptied)
    throw new FieldsRefused(plan.name, [
      {
        field: emptied.name,
        message: "must have a value, so it can't be cleared: --remove deletes its records too",
      },
    ]);
}

/** Minimum length of a text to erase, in characters: shorter texts occur in too many places. */
const erasedLengthMin = 3;

function tracesOf({ internals: { context } }: Service, all: readonly DeletedRecord[]): Traces {
  const identifying = new Set<string>();
  const texts = new Set<string>();
  for (const { resource, before, after } of all) {
    if (after !== null) continue;
    const plan = context.resource(resource);
    for (const { name, type, rules } of plan.stored) {
      // An enum value, a state or a reference to another record is not personal data.
      if (type.kind === "enum" || type.kind === "state" || type.kind === "reference") continue;
      const isOnlyIts = hasRule(rules, "unique") || type.kind === "email" || isKey(plan, name);
      for (const text of textsIn(before[name] ?? null)) {
        if (text.length < erasedLengthMin) continue;
        texts.add(JSON.stringify(text));
        if (isOnlyIts) identifying.add(JSON.stringify(text));
      }
    }
  }
  const rows = (isDeleted: boolean) =>
    all
      .filter(({ after }) => (after === null) === isDeleted)
      .map(({ resource, before }) => ({ resource, row: before["#row"] }));
  return { deleted: rows(true), cleared: rows(false), identifying: [...identifying], texts: [...texts] };
}

function isKey({ identifier }: ResourcePlan, name: string): boolean {
  return identifier.length === 1 && identifier[0] === name;
}

function textsIn(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  return isList(value) || isObject(value) ? Object.values<Value>(value).flatMap(textsIn) : [];
}
