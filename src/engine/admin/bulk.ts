/**
 * Bulk changes: changes all records that match a question in one transaction, or none. The operator states how many
 * records the console showed; if the number differs by now, nothing changes.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { deleteRecord } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Service } from "../service.ts";
import { refuseDeleted, takeIn } from "./change-records.ts";
import { conditionsOfQuestion, type Question, recordsOf } from "./list-records.ts";
import { operatorWrite } from "./operator-write.ts";
import { ChangedMeanwhile, FieldsRefused, fieldsRefusedBy, WrongQuestion } from "./refusals.ts";

export type BulkChange =
  | { readonly kind: "delete" }
  | { readonly kind: "transition"; readonly transition: string };

/** Most records that are changed at once: all other writes wait for it. */
export const bulkMax = 1_000;

/**
 * Returns how many were changed.
 * @throws WrongQuestion | ChangedMeanwhile | FieldsRefused naming the record that prevents the
 * change
 */
export async function changeMany(
  service: Service,
  question: Question,
  count: number,
  change: BulkChange,
): Promise<number> {
  if (count > bulkMax)
    throw new WrongQuestion(
      `At most ${bulkMax} records are changed at once. Filter further, and do it in several steps.`,
    );
  const { context } = service.internals;
  const plan = context.resource(question.resource);
  const conditions = conditionsOfQuestion(service, plan, question);
  const query = context.store.prepareRecords({
    ...recordsOf(question, conditions),
    order: [],
    limited: true,
  });
  return operatorWrite(service, plan, async (evaluation) => {
    Object.assign(evaluation.frame.named, conditions.named);
    evaluation.frame.page = { limit: bulkMax + 1, offset: 0 };
    const records = await evaluation.work.session.records(query, evaluation.frame);
    if (records.length !== count)
      throw new ChangedMeanwhile(
        `There are ${records.length > bulkMax ? `more than ${bulkMax}` : records.length} by now, not ${count}. Nothing was changed.`,
      );
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
    else await takeIn(service, plan, evaluation, record, change.transition);
  } catch (error) {
    const refused = fieldsRefusedBy(error, plan.name);
    if (!refused) throw error;
    const message = `${plan.nameOf(found)}: ${refused.errors.map((error) => error.message).join("; ")}`;
    throw new FieldsRefused(plan.name, [{ field: "", message }]);
  }
}
