/**
 * The events of a transaction (part 6): made when it ends, of what has happened in it, and stored with it: sent if and only if the
 * change is.
 */
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { EventRow, EventTrigger } from "../../model/model.ts";
import type { NewEvent } from "../../store/store.ts";
import { createJsonWriter, type JsonWriter } from "../plan/json-writer.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import { sceneOfRecord } from "../records/change.ts";
import { walk } from "../plan/nodes.ts";
import type { Happening, Touched } from "../records/journal.ts";
import { isHidden, type ResourcePlan } from "../records/resource-plan.ts";
import { sameValue } from "../../expressions/order.ts";
import { type Evaluate, type Scene, setRecord, transactionOf } from "../records/scene.ts";
import { bareObject } from "../../support/bare-object.ts";

export interface EventPlan {
  readonly row: EventRow;
  readonly triggers: readonly { readonly trigger: EventTrigger; readonly when?: Evaluate }[];
  readonly payload?: JsonWriter;
  /** The payload tells `event.changes`, `event.sequence`. */
  readonly tellsChanges: boolean;
  readonly tellsSequence: boolean;
}

export function planEvents(context: PlanContext): readonly EventPlan[] {
  return context.model.events.events.map((row) => {
    const reads = (name: string) => row.payload !== undefined && readsEvent(context, row.payload.node, name);
    return {
      row,
      triggers: row.triggers.map((trigger) => ({
        trigger,
        ...(trigger.when ? { when: evaluateOf(context, trigger.when) } : {}),
      })),
      ...(row.payload && !row.gap ? { payload: createJsonWriter(context, row.payload.node) } : {}),
      tellsChanges: reads("changes"),
      tellsSequence: reads("sequence"),
    };
  });
}

/** Whether an expression, or a shape in it, reads this part of `event`, or `event` as a whole. */
function readsEvent(context: PlanContext, node: Node, name: string, seen = new Set<string>()): boolean {
  let reads = false;
  let whole = 0;
  walk(node, (inner) => {
    if (inner.op === "fixed" && inner.name === "event") whole += 1;
    if (
      (inner.op === "field" || inner.op === "has") &&
      inner.of.op === "fixed" &&
      inner.of.name === "event"
    ) {
      whole -= 1;
      if (inner.name === name) reads = true;
    }
    if (inner.op !== "shape" || seen.has(inner.shape)) return;
    seen.add(inner.shape);
    const body = context.meaning.shapeBody(inner.shape);
    if (body && readsEvent(context, body, name, seen)) reads = true;
  });
  return reads || whole > 0;
}

/** Stores the events of all happenings, in their order. */
export async function storeEvents(
  context: PlanContext,
  plans: readonly EventPlan[],
  transactionScene: Scene,
): Promise<void> {
  if (plans.length === 0) return;
  const { happenings } = transactionScene.work.journal;
  if (happenings.length === 0) return;
  // What is shown once is shown in the answer, and in no event.
  const scene: Scene = { ...transactionScene, work: { ...transactionScene.work, shown: new Map() } };
  const events: NewEvent[] = [];
  const updated = new Set<unknown>();
  let sequence: number | undefined;
  for (const happening of happenings) {
    const { touched } = happening;
    const tellsUpdate = happening.kind === "updated" && !updated.has(touched) && isUpdate(context, touched);
    if (tellsUpdate) updated.add(touched);
    for (const plan of plans) {
      const matching = matchingTriggers(context, plan, happening, tellsUpdate);
      if (!matching) continue;
      if (plan.tellsSequence) sequence ??= await transactionOf(scene).system.nextSequence();
      const number = sequence === undefined ? null : sequence + events.length;
      const event = await eventOf(context, plan, happening, matching, scene, number);
      if (event) events.push(event);
    }
  }
  if (events.length > 0) await transactionOf(scene).system.appendEvents(events);
}

/**
 * Part 6 and decision 15: one request makes at most one *updated* event of a record, none of one that it made or deleted, and none where
 * all that the world sees of it is as before.
 */
function isUpdate(context: PlanContext, { resource, before, after }: Touched): boolean {
  if (!before || !after) return false;
  const { told } = context.resource(resource);
  return [...told].some((field) => !sameValue(before[field] ?? null, after[field] ?? null));
}

/** The triggers that this is about; undefined where there are none, which is so for most rows at most times. */
function matchingTriggers(
  context: PlanContext,
  plan: EventPlan,
  happening: Happening,
  tellsUpdate: boolean,
): EventPlan["triggers"] | undefined {
  const { name } = plan.row;
  if (!plan.triggers.some(({ trigger }) => concerns(context, trigger, happening, tellsUpdate, name)))
    return undefined;
  return plan.triggers.filter(({ trigger }) => concerns(context, trigger, happening, tellsUpdate, name));
}

async function eventOf(
  context: PlanContext,
  plan: EventPlan,
  happening: Happening,
  matching: EventPlan["triggers"],
  scene: Scene,
  sequence: number | null,
): Promise<NewEvent | undefined> {
  const { touched } = happening;
  const record = touched.after ?? touched.before ?? happening.old;
  if (!record) return undefined;
  const resource = context.resource(touched.resource);
  const inner = sceneOfRecord(scene, resource, record, { caller: happening.caller });
  let holds = false;
  for (const { trigger, when } of matching) {
    setRecord(inner, "old", resource.name, trigger.kind === "updated" ? touched.before : happening.old);
    if (when && (await when(inner)) !== true) continue;
    holds = true;
    break;
  }
  if (!holds) return undefined;
  return newEvent(context, plan, resource, record, touched, inner, sequence);
}

async function newEvent(
  context: PlanContext,
  plan: EventPlan,
  resource: ResourcePlan,
  record: RecordValue,
  touched: Touched,
  scene: Scene,
  sequence: number | null,
): Promise<NewEvent> {
  const id = `evt_${Buffer.from(context.ports.randomBytes(16)).toString("hex")}`;
  const subject = subjectOf(resource, record);
  const { now } = scene.frame;
  const changes = plan.tellsChanges ? changesOf(resource, touched) : {};
  scene.frame.event = { id, type: plan.row.name, time: now, subject, sequence, changes } as Value;
  return {
    id,
    type: plan.row.name,
    time: now,
    resource: resource.name,
    row: record["#row"],
    subject,
    payload: plan.payload ? await plan.payload(scene) : "null",
  };
}

/** The stored output fields that differ, with their old values. */
function changesOf(resource: ResourcePlan, { before, after }: Touched): Value {
  const changes = bareObject<Record<string, Value>>();
  if (!before || !after) return changes;
  for (const field of resource.stored) {
    if (isHidden(field)) continue;
    const old = before[field.name] ?? null;
    if (!sameValue(old, after[field.name] ?? null)) changes[field.name] = old;
  }
  return changes;
}

function subjectOf(resource: ResourcePlan, record: RecordValue): string {
  return resource.identifier.map((field) => String(record[field] ?? "")).join("/");
}

function concerns(
  context: PlanContext,
  trigger: EventTrigger,
  happening: Happening,
  tellsUpdate: boolean,
  event: string,
): boolean {
  if (trigger.kind === "sent") return happening.kind === "sent" && happening.name === event;
  if (trigger.resource !== happening.touched.resource) return false;
  switch (trigger.kind) {
    case "transition":
      return happening.kind === "transition" && happening.name === trigger.transition;
    case "becomes": {
      if (happening.kind !== "updated" && happening.kind !== "created") return false;
      const field = context.resource(trigger.resource).machine?.field;
      const { old, now } = happening;
      return field !== undefined && now?.[field] === trigger.state && old?.[field] !== trigger.state;
    }
    case "updated":
      return tellsUpdate;
    default:
      return happening.kind === trigger.kind;
  }
}
