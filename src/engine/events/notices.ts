/**
 * `Log: …, as Notice` (part 6): each event also makes a record of that resource, in the same transaction, with `event` in its
 * `on create`. Notices are what endpoints list and read; no event is told of a notice's own making, or it would never end.
 */
import type { Value } from "../../expressions/value.ts";
import type { PlanContext } from "../plan/context.ts";
import { createRecord } from "../records/change.ts";
import { createScene, type Scene } from "../records/scene.ts";

/** What a notice is made of. */
export interface NoticedEvent {
  readonly event: Value;
  /** Whoever did what the event tells of. */
  readonly caller: Value;
}

export type MakeNotices = (events: readonly NoticedEvent[], scene: Scene) => Promise<void>;

/** Undefined where the log makes no records. */
export function planNotices(context: PlanContext): MakeNotices | undefined {
  const resource = context.model.events.log?.as;
  if (resource === undefined) return undefined;
  return async (events, scene) => {
    const plan = context.resource(resource);
    for (const { event, caller } of events) {
      const frame = { ...scene.frame, named: Object.create(null), locals: [], old: null, body: null };
      await createRecord(context, plan, createScene(scene.work, { ...frame, event, caller }), {});
    }
  };
}
