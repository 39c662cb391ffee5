/**
 * Event targets: the resource whose records receive an event, and the field with their address. The
 * part's `Webhooks` or the event's own `To` states both.
 */
import type { EventRow, Model } from "../../model/model.ts";

export type Target = Exclude<EventRow["to"], "none" | undefined>;

/** Returns the target of an event; undefined if the event has none. */
export function targetOf({ events }: Model, row: EventRow): Target | undefined {
  if (row.to === "none" || row.gap || events.openDelivery) return undefined;
  return row.to ?? events.webhooks;
}

export function targetsOf(model: Model): readonly (Target & { readonly event: string })[] {
  return model.events.events.flatMap((row) => {
    const target = targetOf(model, row);
    return target ? [{ ...target, event: row.name }] : [];
  });
}
