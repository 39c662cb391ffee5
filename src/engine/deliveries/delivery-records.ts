/**
 * `Deliveries: kept 3 days` (part 6): then each delivery is also a record of `Delivery`, which endpoints list and read like any other.
 * It is made with the event, changed with each attempt's result, and forgotten with the delivery; no event is told of it.
 */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { types } from "../../expressions/type.ts";
import type { AttemptNote, DueDelivery } from "../../store/deliveries.ts";
import type { Query, Transaction } from "../../store/store.ts";
import type { PlanContext } from "../plan/context.ts";
import { equalsNode, fieldNode, namedNode, thisNode } from "../plan/nodes.ts";
import { payloadOf } from "./content.ts";
import { createRecord, deleteRecord, sceneOfRecord, updateRecord, type Values } from "../records/change.ts";
import { createScene, type Scene, setRecord, type Work } from "../records/scene.ts";

const resourceName = "Delivery";

export interface NewDeliveryRecord {
  readonly id: string;
  readonly event: Value;
  readonly caller: Value;
  /** Of the receiver. */
  readonly resource: string;
  readonly receiver: RecordValue;
}

/** Answers the record's row. */
export type MakeDeliveryRecord = (made: NewDeliveryRecord, scene: Scene) => Promise<number>;

export interface DeliveryRecords {
  /** Notes an attempt's result in the record. */
  noted(delivery: DueDelivery, note: AttemptNote, transaction: Transaction): Promise<void>;
  /** Takes the records of forgotten deliveries away. */
  forgotten(rows: readonly number[], transaction: Transaction): Promise<void>;
}

function keepsRecords({ model }: PlanContext): boolean {
  return (
    model.events.deliveriesKeptMs !== undefined && model.resources.some((one) => one.name === resourceName)
  );
}

/** Undefined where deliveries aren't kept as records. */
export function planMakeRecord(context: PlanContext): MakeDeliveryRecord | undefined {
  if (!keepsRecords(context)) return undefined;
  return async ({ id, event, caller, resource, receiver }, scene) => {
    const { frame } = scene;
    const delivery = { id, attempt: 0, time: null, url: null, state: "pending", status: null, error: null };
    const inner = createScene(scene.work, {
      ...frame,
      named: Object.create(null),
      locals: [],
      old: null,
      body: null,
      event,
      caller,
      delivery: { ...delivery, next: frame.now },
    });
    setRecord(inner, context.resource(resource).resource.smallName, resource, receiver);
    return (await createRecord(context, context.resource(resourceName), inner, {}))["#row"];
  };
}

export interface DeliveryRecordParts {
  readonly newFrame: (nowMs: number) => Frame;
  readonly newWork: () => Work;
}

export function planDeliveryRecords(
  context: PlanContext,
  { newFrame, newWork }: DeliveryRecordParts,
): DeliveryRecords | undefined {
  if (!keepsRecords(context)) return undefined;
  let byRow: Query<RecordValue> | undefined;
  const sceneOf = (transaction: Transaction, nowMs: number) =>
    createScene({ ...newWork(), session: transaction, transaction }, newFrame(nowMs));
  const find = async (row: number, scene: Scene): Promise<RecordValue | null> => {
    byRow ??= context.store.prepareRecords({
      resource: resourceName,
      where: [
        equalsNode(
          fieldNode(thisNode(resourceName), "#row", types.integer),
          namedNode("#row", types.integer),
        ),
      ],
      order: [],
    });
    scene.frame.named["#row"] = row;
    return scene.work.session.record(byRow, scene.frame);
  };
  return {
    async noted(delivery, note, transaction) {
      if (delivery.record === null) return;
      const scene = sceneOf(transaction, note.at);
      const record = await find(delivery.record, scene);
      // It went with the record that it referred to.
      if (!record) return;
      const plan = context.resource(resourceName);
      const told = { event: eventOf(delivery), delivery: deliveryOf(delivery, note) };
      const inner = sceneOfRecord(scene, plan, record, told);
      setRecord(inner, "old", resourceName, record);
      const changes: Values = Object.create(null) as Values;
      for (const { field, evaluate } of plan.updaters) changes[field] = await evaluate(inner);
      await updateRecord(context, plan, inner, record, changes);
    },
    async forgotten(rows, transaction) {
      const plan = context.resource(resourceName);
      const scene = sceneOf(transaction, context.ports.clock.now());
      for (const row of rows) {
        const record = await find(row, scene);
        if (record) await deleteRecord(context, plan, sceneOfRecord(scene, plan, record), record);
      }
    },
  };
}

function eventOf(delivery: DueDelivery): Value {
  const { eventId, eventType, eventTime, subject, event } = delivery;
  const told = { id: eventId, type: eventType, time: eventTime, subject, sequence: event };
  return { ...told, payload: JSON.parse(payloadOf(delivery)) as Value, changes: null, deliveries: null };
}

const words = { open: "pending", done: "delivered", dead: "failed" } as const;

function deliveryOf({ id, attempts }: DueDelivery, { at, state, status, error, dueAt }: AttemptNote): Value {
  return {
    id,
    attempt: attempts + 1,
    time: new Date(at).toISOString(),
    url: null,
    state: words[state],
    status,
    error,
    next: dueAt === null ? null : new Date(dueAt).toISOString(),
  };
}
