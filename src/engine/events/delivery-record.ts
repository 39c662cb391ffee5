/**
 * Delivery records (part 6, `Deliveries: kept 3 days`): creates the record of a delivery with its
 * event, in the transaction of the change.
 */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { deliveryResourceOf } from "../../model/events/delivery-retention.ts";
import { bareObject } from "../../support/bare-object.ts";
import { type EventRecord, bindEventRecord } from "./notices.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord } from "../records/change.ts";
import { createEvaluationContext, type EvaluationContext, setRecord } from "../evaluation/context.ts";

export interface NewDeliveryRecord {
  readonly id: string;
  readonly event: Value;
  readonly caller: Value;
  readonly about: EventRecord | null;
  /** The resource of the receiver. */
  readonly resource: string;
  readonly receiver: RecordValue;
}

/** Creates the record and returns its row. */
export type MakeDeliveryRecord = (made: NewDeliveryRecord, evaluation: EvaluationContext) => Promise<number>;

/** Returns undefined if the document does not keep deliveries as records. */
export function planDeliveryRecord(context: PlanContext): MakeDeliveryRecord | undefined {
  const name = deliveryResourceOf(context.model);
  if (name === undefined) return undefined;
  return async ({ id, event, caller, about, resource, receiver }, evaluation) => {
    const { frame } = evaluation;
    const untried = { time: null, status: null, answer: null, headers: null, took: null, error: null };
    const delivery = { id, attempt: 0, state: "pending", ...untried };
    const inner = createEvaluationContext(evaluation.work, {
      ...frame,
      named: bareObject<Frame["named"]>(),
      locals: [],
      old: null,
      body: null,
      event,
      caller,
      delivery: { ...delivery, next: frame.now },
    });
    bindEventRecord(inner, about);
    setRecord(inner, context.resource(resource).resource.variableName, resource, receiver);
    return (await createRecord(context, context.resource(name), inner, {}))["#row"];
  };
}
