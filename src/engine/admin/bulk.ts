/**
 * Bulk changes: changes all records that match a question, or the named records, in one
 * transaction. Either all change, or none. The operator states how many records the console showed.
 * If the number differs meanwhile, nothing changes.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { deleteRecord } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Service } from "../service.ts";
import { refuseDeleted, fireTransitionWithin } from "./change-records.ts";
import { questionConditions, type RecordsQuestion, recordsOf } from "./list-records.ts";
import { parseKey, noSuchRecord } from "./read-record.ts";
import { writeAsOperator } from "./operator-write.ts";
import { ChangedMeanwhile, FieldsRefused, fieldsRefusedBy, WrongQuestion } from "./refusals.ts";
import { bind } from "../../expressions/parameters.ts";

export type BulkChange =
  | { readonly kind: "delete" }
  | { readonly kind: "transition"; readonly transition: string };

/** Maximum number of records in one bulk change: all other writes wait for it. */
export const bulkMax = 1_000;

/**
 * Changes all records that match a question. Returns the number of changed records.
 * @throws WrongQuestion | ChangedMeanwhile | FieldsRefused naming the record that prevents the
 * change
 */
export function changeMany(
  service: Service,
  question: RecordsQuestion,
  count: number,
  change: BulkChange,
): Promise<number> {
  if (count > bulkMax) throw tooMany();
  const { context } = service.internals;
  const plan = context.resource(question.resource);
  const conditions = questionConditions(service, plan, question);
  const query = context.store.prepareRecords({
    ...recordsOf(question, conditions),
    order: [],
    limited: true,
  });
  return changeAll(service, plan, change, async ({ frame: own, work }) => {
    const frame = bind(own, conditions.parameters);
    frame.page = { limit: bulkMax + 1, offset: 0 };
    const records = await work.session.records(query, frame);
    if (records.length !== count)
      throw new ChangedMeanwhile(
        `There are ${records.length > bulkMax ? `more than ${bulkMax}` : records.length} now, not ${count}. Nothing was changed.`,
      );
    return records;
  });
}

/**
 * Changes the records with these identifiers. Returns the number of changed records.
 * @throws WrongQuestion | NoSuchRecord | FieldsRefused naming the record that prevents the change
 */
export function changeIdentified(
  service: Service,
  resource: string,
  identifiers: readonly string[],
  change: BulkChange,
): Promise<number> {
  if (identifiers.length > bulkMax) throw tooMany();
  const plan = service.internals.context.resource(resource);
  return changeAll(service, plan, change, async ({ frame, work }) => {
    const records: RecordValue[] = [];
    for (const identifier of new Set(identifiers)) {
      const record = await plan.find(work.session, frame, parseKey(service, plan, identifier));
      if (!record) throw noSuchRecord(plan, identifier);
      records.push(record);
    }
    return records;
  });
}

function tooMany(): WrongQuestion {
  return new WrongQuestion(
    `At most ${bulkMax} records can be changed at once. Add filters, and change them in several steps.`,
  );
}

function changeAll(
  service: Service,
  plan: ResourcePlan,
  change: BulkChange,
  find: (evaluation: EvaluationContext) => Promise<readonly RecordValue[]>,
): Promise<number> {
  return writeAsOperator(service, plan, async (evaluation) => {
    const records = await find(evaluation);
    for (const record of records) await changeOne(service, plan, evaluation, record, change);
    return records.length;
  });
}

async function changeOne(
  service: Service,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  found: RecordValue,
  change: BulkChange,
): Promise<void> {
  // The change of an earlier record may have changed or deleted this one.
  const latest = evaluation.work.journal.latest(plan.name, found["#row"]);
  if (latest === null) return;
  const record = latest ?? found;
  try {
    refuseDeleted(plan, record);
    if (change.kind === "delete") await deleteRecord(service.internals.context, plan, evaluation, record);
    else await fireTransitionWithin(service, plan, evaluation, record, change.transition);
  } catch (error) {
    const refused = fieldsRefusedBy(error, plan.name);
    if (!refused) throw error;
    const message = `${plan.nameOf(found)}: ${refused.errors.map((error) => error.message).join("; ")}`;
    throw new FieldsRefused(plan.name, [{ field: "", message }]);
  }
}
