/**
 * Notices (`Log: …, as Notice`, part 6). Each event also creates a record of that resource in the
 * same transaction, with `event` in its `on create`. Endpoints list and read notices. Creating a
 * notice emits no event, because events would then never end.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { createEvaluationContext, type EvaluationContext, setRecord } from "../evaluation/context.ts";

/** The content of a notice. */
export interface NoticedEvent {
  readonly event: Value;
  /** The caller of the request that caused the event. */
  readonly caller: Value;
  /** The record that the event reports; null if it no longer exists. */
  readonly about: EventRecord | null;
}

export interface EventRecord {
  readonly resource: ResourcePlan;
  readonly record: RecordValue;
}

export type CreateNotices = (events: readonly NoticedEvent[], evaluation: EvaluationContext) => Promise<void>;

/** Returns undefined if the log creates no records. */
export function planNotices(context: PlanContext): CreateNotices | undefined {
  const resource = context.model.events.log?.as;
  if (resource === undefined) return undefined;
  return async (events, evaluation) => {
    const plan = context.resource(resource);
    for (const { event, caller, about } of events) {
      const frame = { ...evaluation.frame, named: Object.create(null), locals: [], old: null, body: null };
      const inner = createEvaluationContext(evaluation.work, { ...frame, event, caller });
      bindEventRecord(inner, about);
      await createRecord(context, plan, inner, {});
    }
  };
}

/**
 * Binds the event's record to its lower-case name, by which a record created from the event refers
 * to it.
 */
export function bindEventRecord(evaluation: EvaluationContext, about: EventRecord | null): void {
  if (about) setRecord(evaluation, about.resource.resource.variableName, about.resource.name, about.record);
}
