/** Record context: an evaluation context with a single record. */
import { type EvaluationContext, createEvaluationContext, setRecord } from "../evaluation/context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import type { RecordValue, Frame } from "../../expressions/value.ts";
import { copyFrame } from "../../expressions/frame.ts";
import { bareObject } from "../../support/bare-object.ts";

/**
 * Creates a context for expressions over one record: `this`, its small name, and the names that
 * exist everywhere.
 */
export function recordContext(
  evaluation: EvaluationContext,
  plan: ResourcePlan,
  record: RecordValue | null,
  extra: Partial<EvaluationContext["frame"]> = {},
): EvaluationContext {
  const inner = createEvaluationContext(evaluation.work, frameOfRecord(evaluation.frame, extra));
  setRecord(inner, "this", plan.name, record);
  setRecord(inner, plan.resource.variableName, plan.name, record);
  return inner;
}

/** The frame of such a context, without the record. */
function frameOfRecord(frame: Frame, extra: Partial<Frame>): Frame {
  const copy = copyFrame(frame);
  copy.named = bareObject();
  copy.locals = [];
  copy.old = null;
  return Object.assign(copy, extra);
}
