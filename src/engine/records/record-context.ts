/** The scene in which a record is asked alone, whatever else is at hand around it. */
import { type EvaluationContext, createEvaluationContext, setRecord } from "../evaluation/context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import type { RecordValue, Frame } from "../../expressions/value.ts";
import { copyFrame } from "../../expressions/frame.ts";
import { bareObject } from "../../support/bare-object.ts";

/** A scene for asking expressions of one record alone: `this`, its small name, and what everybody sees. */
export function recordContext(
  evaluation: EvaluationContext,
  plan: ResourcePlan,
  record: RecordValue | null,
  extra: Partial<EvaluationContext["frame"]> = {},
): EvaluationContext {
  const inner = createEvaluationContext(evaluation.work, frameOfRecord(evaluation.frame, extra));
  setRecord(inner, "this", plan.name, record);
  setRecord(inner, plan.resource.smallName, plan.name, record);
  return inner;
}

/** All that a scene of one record sees besides it. */
function frameOfRecord(frame: Frame, extra: Partial<Frame>): Frame {
  const copy = copyFrame(frame);
  copy.named = bareObject();
  copy.locals = [];
  copy.old = null;
  return Object.assign(copy, extra);
}
