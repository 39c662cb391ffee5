/** Assignments to the record at hand, by transitions and effects. */
import type { RecordDraft, RecordValue, Value } from "../../expressions/value.ts";
import type { PlanContext } from "./plan-context.ts";
import { type Scene, setRecord, refresh, isRecord } from "../evaluation/scene.ts";
import { bareObject } from "../../support/bare-object.ts";
import { type Values, updateRecord } from "./change.ts";
import { sceneOfRecord } from "./scene-of-record.ts";
import { after } from "../../support/awaitable.ts";

/** A record is copied whole, and so stays of the kind that V8 is quick with. */
function withField(record: RecordValue, field: string, value: Value): RecordValue {
  const next: RecordDraft = { ...record };
  next[field] = value;
  return next;
}

/** Kept back until something asks the store, so that a transition with five assignments is one statement. */
export function assignToThis(
  context: PlanContext,
  scene: Scene,
  resource: string,
  field: string,
  value: Value,
): void {
  const plan = context.resource(resource);
  const record = scene.frame.this as RecordValue;
  const { smallName } = plan.resource;
  if (!scene.pending) {
    const changes = bareObject<Values>();
    scene.pending = {
      changes,
      apply() {
        const updating = updateRecord(context, plan, sceneOfRecord(scene, plan, record), record, changes);
        return after(updating, () => refresh(scene));
      },
    };
  }
  const kept = plan.forms.get(field)?.kept;
  const formed = kept ? kept(value) : value;
  scene.pending.changes[field] = formed;
  const next = withField(scene.frame.this as RecordValue, field, formed);
  setRecord(scene, "this", resource, next);
  // The path may have another record of that name.
  const named = scene.frame.named[smallName] ?? null;
  if (isRecord(named) && named["#row"] === record["#row"]) scene.frame.named[smallName] = next;
}
