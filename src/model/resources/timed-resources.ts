/** Timed resources: those whose records change or end by time. */
import type { Resource } from "../model.ts";

/** Whether records of the resource change by time. */
export function isTimed(resource: Resource): boolean {
  if (resource.kept) return true;
  return (resource.states?.transitions ?? []).some((transition) =>
    transition.ends.some(({ trigger }) => trigger.kind === "after" || trigger.kind === "at"),
  );
}
