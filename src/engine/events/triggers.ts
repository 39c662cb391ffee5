/** Event triggers (part 6): whether an occurrence in the journal matches a trigger. */
import { sameValue } from "../../expressions/order.ts";
import type { EventTrigger } from "../../model/model.ts";
import type { Occurrence, TouchedRecord } from "../evaluation/journal.ts";
import type { PlanContext } from "../records/plan-context.ts";

/**
 * Part 6 and decision "What updated means": one request causes at most one *updated* event for a
 * record. It causes none for a record that it creates or deletes, and none if all visible fields
 * are unchanged.
 */
export function isUpdate(context: PlanContext, { resource, before, after }: TouchedRecord): boolean {
  if (!before || !after) return false;
  for (const field of context.resource(resource).visibleFields)
    if (!sameValue(before[field] ?? null, after[field] ?? null)) return true;
  return false;
}

/** @param event the event's name, which `send` compares */
export function matchesTrigger(
  context: PlanContext,
  trigger: EventTrigger,
  occurrence: Occurrence,
  isUpdateObserved: () => boolean,
  event: string,
): boolean {
  if (trigger.kind === "sent") return occurrence.kind === "sent" && occurrence.name === event;
  if (trigger.resource !== occurrence.touched.resource) return false;
  switch (trigger.kind) {
    case "transition":
      return occurrence.kind === "transition" && occurrence.name === trigger.transition;
    case "becomes": {
      if (occurrence.kind !== "updated" && occurrence.kind !== "created") return false;
      const field = context.resource(trigger.resource).machine?.field;
      const { old, now } = occurrence;
      return field !== undefined && now?.[field] === trigger.state && old?.[field] !== trigger.state;
    }
    case "updated":
      return isUpdateObserved();
    default:
      return occurrence.kind === trigger.kind;
  }
}
