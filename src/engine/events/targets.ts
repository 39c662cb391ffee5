/** To which resources' records events may go, and where in them the address stands: the part's `Webhooks`, or the event's own `To`. */
import type { EventRow, Model } from "../../model/model.ts";

export type Target = Exclude<EventRow["to"], "none" | undefined>;

/** The target of an event; undefined if it has none. */
export function targetOf({ events }: Model, row: EventRow): Target | undefined {
  if (row.to === "none" || row.gap) return undefined;
  return row.to ?? events.webhooks;
}

export function targetsOf(model: Model): readonly (Target & { readonly event: string })[] {
  return model.events.events.flatMap((row) => {
    const target = targetOf(model, row);
    return target ? [{ ...target, event: row.name }] : [];
  });
}
