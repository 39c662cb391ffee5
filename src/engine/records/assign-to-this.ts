/** Assignment to `this`: sets fields of the current record for transitions and effects. */
import type { RecordDraft, RecordValue, Value } from "../../expressions/value.ts";
import type { PlanContext } from "./plan-context.ts";
import { type EvaluationContext, setRecord, refresh, isRecord } from "../evaluation/context.ts";
import { bareObject } from "../../support/bare-object.ts";
import { type Values, updateRecord } from "./change.ts";
import { recordContext } from "./record-context.ts";
import { after } from "../../support/awaitable.ts";

/** The record is copied as a whole, so that it keeps its V8 hidden class. */
function withField(record: RecordValue, field: string, value: Value): RecordValue {
  const next: RecordDraft = { ...record };
  next[field] = value;
  return next;
}

/**
 * Assigns a field of `this`. The write is deferred until the store is queried, so that a transition
 * with five assignments is one statement.
 */
export function assignToThis(
  context: PlanContext,
  evaluation: EvaluationContext,
  resource: string,
  field: string,
  value: Value,
): void {
  const plan = context.resource(resource);
  const record = evaluation.frame.this as RecordValue;
  const { variableName } = plan.resource;
  if (!evaluation.pending) {
    const changes = bareObject<Values>();
    evaluation.pending = {
      changes,
      apply() {
        const updating = updateRecord(
          context,
          plan,
          recordContext(evaluation, plan, record),
          record,
          changes,
        );
        return after(updating, () => refresh(evaluation));
      },
    };
  }
  const kept = plan.forms.get(field)?.normalize;
  const formed = kept ? kept(value) : value;
  evaluation.pending.changes[field] = formed;
  const next = withField(evaluation.frame.this as RecordValue, field, formed);
  setRecord(evaluation, "this", resource, next);
  // The path may have a different record of that name.
  const named = evaluation.frame.named[variableName] ?? null;
  if (isRecord(named) && named["#row"] === record["#row"]) evaluation.frame.named[variableName] = next;
}
